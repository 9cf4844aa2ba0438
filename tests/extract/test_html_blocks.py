"""Main content to typed blocks: faults J and G10, G11, design section 3. Every page here is our own."""

# ruff: noqa: E501  (one row of a table stays on one line)

from __future__ import annotations

import pytest

from webdocs.extract import read_body
from webdocs.model import Block, Page

URL = "https://docs.test/guide/page.html"
FILLER = "<p>Enough words in the first paragraph for the content to be found.</p>"


def read(content: str, head: str = "", url: str = URL) -> Page:
    html = f"<!doctype html><html><head>{head}</head><body><main>{FILLER}{content}</main></body></html>"
    return read_body(html.encode(), "text/html; charset=utf-8", url)


def blocks_of(content: str) -> tuple[Block, ...]:
    """Blocks after the filler."""
    return read(content).blocks[1:]


def markdown_of(content: str) -> str:
    return "\n\n".join(block.markdown for block in blocks_of(content))


MARKDOWN = {
    # text and words
    "two-paragraphs-stay-two [fault-J9]": ("<p>one</p><p>two</p>", "one\n\ntwo"),
    "words-in-inline-elements-are-not-glued [fault-J9]": ("<p>a <b>b</b> <i>c</i> d</p>", "a **b** *c* d"),
    "white-space-is-collapsed": ("<p>  a\n\t b&nbsp;c </p>", "a b c"),
    "space-inside-marks-moves-out": ("<p>a<b> b </b>c</p>", "a **b** c"),
    "no-marks-where-they-would-not-close": ("<p>x<b>(y)</b>z</p>", "x(y)z"),
    "neighbouring-bold-is-one": ("<p><b>a</b><b>b</b></p>", "**ab**"),
    "text-before-a-block-is-a-paragraph": ("loose <p>p</p> tail", "loose\n\np\n\ntail"),
    "an-exponent-is-not-glued-to-its-base": ("<p>2<sup>32</sup> bytes</p>", "2^32 bytes"),
    "a-forced-line-break": ("<p>a<br>b</p>", "a  \nb"),
    # escaping
    "stars-that-mean-themselves": ("<p>*args and **kwargs</p>", r"\*args and \*\*kwargs"),
    "underscores-that-mean-themselves": ("<p>__init__ of snake_case</p>", r"\_\_init\_\_ of snake_case"),
    "a-tag-in-text": ("<p>&lt;div&gt; a &lt; b</p>", r"\<div> a < b"),
    "an-entity-in-text [fault-G13]": ("<p>write &amp;amp; &#x27;so&#x27; R&amp;D</p>", r"write \&amp; 'so' R&D"),
    "a-line-that-looks-like-a-heading": ("<p># no</p><p>- no</p><p>1. no</p><p>&gt; no</p>", "\\# no\n\n\\- no\n\n1\\. no\n\n\\> no"),
    "text-that-looks-like-a-link": ("<p>[z](javascript:alert(1))</p>", r"[z\](javascript:alert(1))"),
    "a-mark-of-exclamation-before-a-link": ('<p>now!<a href="/x">x</a></p>', r"now\![x](https://docs.test/x)"),
    "backticks-in-text": ("<p>a `b`</p>", r"a \`b\`"),
    # links and images
    "code-in-a-link [fault-J5]": ('<p><a href="/x"><code>x</code></a></p>', "[`x`](https://docs.test/x)"),
    "a-link-in-code [fault-J5]": ('<p><code><a href="/x">x</a></code></p>', "[`x`](https://docs.test/x)"),
    "brackets-in-a-url [fault-J7]": ('<p><a href="/a_(b)">t</a></p>', "[t](<https://docs.test/a_(b)>)"),
    "brackets-in-a-link-text": ('<p><a href="/a">a[0]</a> <a href="/b">b]</a></p>', "[a[0]](https://docs.test/a) [b\\]](https://docs.test/b)"),
    "a-space-in-a-url [fault-B5]": ('<p><a href="pdf/My File.html">t</a></p>', "[t](https://docs.test/guide/pdf/My%20File.html)"),
    "a-script-is-no-link": ('<p><a href="javascript:alert(1)">t</a></p>', "t"),
    "an-image": ('<p><img alt="A  b" src="../i.png"></p>', "![A b](https://docs.test/i.png)"),
    "an-image-in-a-link": ('<p><a href="/x"><img alt="i" src="/i.png"></a></p>', "[![i](https://docs.test/i.png)](https://docs.test/x)"),
    "a-decoration-is-left-out": ('<p>a<img alt="" src="/i.png"></p>', "a"),
    "image-data-is-left-out": ('<p>a <img alt="dot" src="data:image/png;base64,AAAA"></p>', "a dot"),
    "a-card": ('<a href="/x"><div>Title</div><div>More</div></a>', "[Title More](https://docs.test/x)"),
    # code
    "code-keeps-every-space [fault-J1]": ("<pre><code>def f():\n    return  1\n\n\tx\n</code></pre>", "```\ndef f():\n    return  1\n\n\tx\n```"),
    "code-that-holds-a-fence [fault-J2]": ("<pre>```\nx\n````\n</pre>", "`````\n```\nx\n````\n`````"),
    "language-of-the-code-element [fault-G11]": ('<pre><code class="language-rust">x</code></pre>', "```rust\nx\n```"),
    "language-of-the-wrapper [fault-G11]": ('<div class="highlight-python3 notranslate"><div class="highlight"><pre>x</pre></div></div>', "```python3\nx\n```"),
    "language-of-the-pre [fault-G11]": ('<pre data-language="ts"><code>x</code></pre>', "```ts\nx\n```"),
    "text-is-no-language [fault-G11]": ('<div class="language-text highlight"><pre>x</pre></div>', "```\nx\n```"),
    "bare-language-of-highlight-js [fault-G11]": ('<pre><code class="hljs go">x</code></pre>', "```go\nx\n```"),
    "lines-broken-by-elements": ("<pre><code>a<br>b<div>c</div><div>d</div></code></pre>", "```\na\nb\nc\nd\n```"),
    "lines-of-expressive-code": ('<pre><code><div class="ec-line"><div class="gutter">1</div>a</div><div class="ec-line">b</div></code></pre>', "```\na\nb\n```"),
    "line-numbers-in-a-table": ('<table class="highlighttable"><tr><td class="linenos"><pre>1\n2</pre></td><td class="code"><div class="highlight"><pre>a\nb</pre></div></td></tr></table>', "```\na\nb\n```"),
    "line-numbers-in-the-code": ('<pre><span class="lineno">1 </span>a\n<span class="lineno">2 </span>b</pre>', "```\na\nb\n```"),
    "copy-buttons": ('<div class="hl"><button>Copy</button><pre>x</pre></div>', "```\nx\n```"),
    "inline-code-with-backticks": ("<p><code>a`b</code> <code>`c`</code></p>", "``a`b`` `` `c` ``"),
    "code-beside-code-is-one-span": ("<p><code>a</code><code>b</code></p>", "`ab`"),
    "links-in-code-do-not-cut-it": ('<p><code>f(<a href="/x">X</a>)</code></p>', "`f(X)`"),
    # headings
    "a-mark-in-a-heading": ('<h2 id="a">T<a class="headerlink" href="#a">¶</a></h2>', "## T"),
    "a-permalink-of-words": ('<h2 id="a">T <a class="anchor" href="#a">Link to this heading</a></h2>', "## T"),
    "an-invisible-permalink": ('<h2 id="a">T <a href="#a" aria-label="Permalink">\u200b</a></h2>', "## T"),
    "a-title-that-is-its-own-link": ('<h2 id="a"><a class="heading-anchor" href="#a">T</a></h2>', "## T"),
    "a-full-url-as-permalink": (f'<h2 id="a">T <a href="{URL}#a">#</a></h2>', "## T"),
    "an-unclosed-heading": ("<h2>A<pre>x\n y</pre></h2>", "A\n\n```\nx\n y\n```"),
    # lists
    "nested-lists": ("<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>", "- a\n  - b\n- c"),
    "a-numbered-list-from-three": ('<ol start="3"><li>a</li><li>b</li></ol>', "3. a\n4. b"),
    "code-in-an-item": ("<ol><li><p>a</p><pre>x\n y</pre></li></ol>", "1. a\n\n   ```\n   x\n    y\n   ```"),
    "a-list-without-items-in-a-list": ("<ul><li>a</li><ul><li>b</li></ul></ul>", "- a\n  - b"),
    "a-list-that-only-lays-out": ("<ul><li><section><h2>T</h2><p>x</p></section></li></ul>", "## T\n\nx"),
    "tasks": ('<ul><li><input type="checkbox" checked> a</li><li><input type="checkbox"> b</li></ul>', "- [x] a\n- [ ] b"),
    # tables
    "a-table": ("<table><thead><tr><th>a<th>b</thead><tr><td>1<td>2</table>", "| a | b |\n| --- | --- |\n| 1 | 2 |"),
    "a-table-without-a-header": ("<table><tr><td>1<td>2</table>", "|  |  |\n| --- | --- |\n| 1 | 2 |"),
    "pipes-in-cells": ("<table><tr><th>a|b<th>c<tr><td><code>x|y</code><td>z</table>", "| a\\|b | c |\n| --- | --- |\n| `x\\|y` | z |"),
    "spans": ('<table><tr><th>a<th>b<th>c<tr><td rowspan="2">1<td colspan="2">2<tr><td>3<td>4</table>', "| a | b | c |\n| --- | --- | --- |\n| 1 | 2 |  |\n| 1 | 3 | 4 |"),
    "headings-in-cells [fault-J10]": ("<table><tr><td><h2>T</h2>x<td>y<tr><td>1<td>2</table>", "|  |  |\n| --- | --- |\n| T<br>x | y |\n| 1 | 2 |"),
    "a-row-that-is-a-heading [fault-J10]": ('<table><tr><td colspan="2"><h2>T</h2></td></tr><tr><td>a<td>b</table>', "## T\n\n|  |  |\n| --- | --- |\n| a | b |"),
    "paragraphs-and-lists-in-cells": ("<table><tr><th>h<tr><td><p>a</p><ul><li>b</li></ul></table>", "| h |\n| --- |\n| a<br>- b |"),
    "code-in-cells": ("<table><tr><th>h<th>i<tr><td><pre>a\nb</pre><td>c</table>", "| h | i |\n| --- | --- |\n| `a`<br>`b` | c |"),
    "a-caption": ("<table><caption>Cap</caption><tr><th>a<tr><td>1</table>", "Cap\n\n| a |\n| --- |\n| 1 |"),
    "a-grid-of-javadoc": ('<div class="summary-table two-column-summary"><div class="table-header">A</div><div class="table-header">B</div><div>1</div><div>2</div></div>', "| A | B |\n| --- | --- |\n| 1 | 2 |"),
    # quotes, admonitions, tabs, details, math
    "a-quote": ("<blockquote><p>a</p><p>b</p></blockquote>", "> a\n>\n> b"),
    "admonition-of-sphinx": ('<div class="admonition note"><p class="admonition-title">Note</p><p>x</p></div>', "> **Note**\n>\n> x"),
    "admonition-of-docbook": ('<div class="warning"><h3>Careful</h3><p>x</p></div>', "> **Careful**\n>\n> x"),
    "admonition-of-asciidoc": ('<div class="admonitionblock tip"><table><tr><td class="icon"><div class="title">Tip</div></td><td class="content">x</td></tr></table></div>', "> **Tip**\n>\n> x"),
    "admonition-without-a-title": ('<aside class="callout warning"><p>x</p></aside>', "> **Warning**\n>\n> x"),
    "an-aside-is-kept [3]": ("<aside><p>x</p></aside>", "x"),
    "tabs-by-role [fault-G10]": ('<div><ul role="tablist"><li role="tab">A</li><li role="tab">B</li></ul><div role="tabpanel"><p>one</p></div><div role="tabpanel" hidden><p>two</p></div></div>', "**A**\n\none\n\n**B**\n\ntwo"),
    "tabs-by-input [fault-G10]": ('<div class="sd-tab-set"><input type="radio" id="i"><label for="i">A</label><div class="sd-tab-content"><p>one</p></div><input type="radio" id="j"><label for="j">B</label><div class="sd-tab-content"><p>two</p></div></div>', "**A**\n\none\n\n**B**\n\ntwo"),
    "tabs-in-two-rows [fault-G10]": ('<div class="tabbed-set"><input id="a"><input id="b"><div class="tabbed-labels"><label for="a">A</label><label for="b">B</label></div><div class="tabbed-content"><div class="tabbed-block"><pre>x</pre></div><div class="tabbed-block"><p>two</p></div></div></div>', "**A**\n\n```\nx\n```\n\n**B**\n\ntwo"),
    "details": ("<details><summary>More</summary><p>x</p></details>", "**More**\n\nx"),
    "math-by-annotation": ('<p><span class="katex"><span class="katex-mathml"><math><semantics><mi>x</mi><annotation encoding="application/x-tex">x^2</annotation></semantics></math></span><span class="katex-html" aria-hidden="true">x2</span></span></p>', "$x^2$"),
    "math-by-script": ('<p>so <script type="math/tex">a_b</script></p>', "so $a_b$"),
    "math-by-delimiters": ('<p><span class="math">\\(a*b\\)</span></p>', "$a*b$"),
    "math-by-class-of-mkdocs": ('<p>so <span class="arithmatex">\\(x_1\\)</span></p>', "so $x_1$"),
    "a-switch-of-a-label-is-no-task": ('<div><input type="checkbox" id="v"><label for="v">View</label><p>a</p></div>', "a"),
    # definitions and signatures
    "a-signature-of-sphinx": ('<dl class="py function"><dt class="sig" id="m.f"><span>m.</span><span>f</span>(<em>a</em>,\n <em>*b</em>)<a class="headerlink" href="#m.f">¶</a></dt><dd><p>Does.</p></dd></dl>', "`m.f(a, *b)`\n\nDoes."),
    "a-term-with-a-link": ('<dl><dt><a href="/x">T</a></dt><dd>d</dd></dl>', "[T](https://docs.test/x)\n\nd"),
    "a-label-is-no-signature": ("<dl><dt>Returns:</dt><dd>d</dd></dl>", "**Returns:**\n\nd"),
    "a-signature-of-javadoc": ('<div class="member-signature"><span>int</span> <span>f</span>()</div>', "`int f()`"),
    "a-signature-of-rustdoc": ('<h4 class="code-header">fn <a href="/f">f</a>() -&gt; u8</h4>', "#### `fn f() -> u8`"),
    "a-term-with-its-type": ('<dl><dt>n<span class="classifier">int</span></dt></dl>', "`n int`"),
    "a-title-in-all-but-name": ('<p class="rubric">Examples</p>', "**Examples**"),
    # what is dropped
    "hidden-text [3]": ('<p>a</p><p hidden>ignore all</p><p style="display: none">x</p><p style="font-size:0">y</p>', "a"),
    "zero-width-and-tag-characters [3]": ("<p>a\u200bb\U000e0041\U000e0042c\ufeff</p>", "abc"),
    "joiners-stay-in-persian": ("<p>می\u200cخواهم</p>", "می\u200cخواهم"),
    "comments-and-scripts": ("<p>a<!-- no --></p><script>no</script><style>no</style><noscript>no</noscript>", "a"),
    "between-noindex-comments [url-31]": ("<!--noindex--><p>no</p><!--/noindex--><p>a</p>", "a"),
    "navigation-and-controls [3]": ('<nav>no</nav><div role="search">no</div><button>no</button><svg><text>no</text></svg><ul class="breadcrumbs"><li>no</li></ul><div class="prev-next-area">no</div><p>a</p>', "a"),
    "the-page's-own-contents [3]": ('<div class="toc"><ul><li><a href="#a">A</a></li><li><a href="#b">B</a></li></ul></div><p>a</p>', "a"),
    "contents-that-lead-on-are-kept": ('<div class="toc"><ul><li><a href="a.html">A</a></li></ul></div>', "- [A](https://docs.test/guide/a.html)"),
    "a-cookie-banner [3]": ('<div class="cookie-banner"><p>no</p></div><p>a</p>', "a"),
    "a-grid-called-gutter-is-kept": ('<div class="gutter"><p>text</p></div>', "text"),
}  # fmt: skip


@pytest.mark.parametrize(("content", "markdown"), MARKDOWN.values(), ids=MARKDOWN.keys())
def test_becomes_markdown(content: str, markdown: str) -> None:
    assert markdown_of(content) == markdown


ANCHORS = {
    "id-of-the-heading [fault-J6]": ('<h2 id="A-b">T</h2>', ("A-b",)),
    "id-of-the-section-around [fault-J6]": ('<section id="s"><h2>T</h2></section>', ("s",)),
    "section-before-an-older-label": ('<section id="s"><span id="old"></span><h2>T</h2></section>', ("s", "old")),
    "docbook-section": ('<div class="sect1" id="FOO"><div class="titlepage"><h2>T</h2></div></div>', ("FOO",)),
    "named-anchor-in-the-title": ('<h2><a name="n"></a>T</h2>', ("n",)),
    "named-anchor-before-the-title": ('<a name="n"></a><h2>T</h2>', ("n",)),
    "empty-anchor-before-the-title": ('<p>x</p><a id="n"></a><h2>T</h2>', ("n",)),
    "the-section-comes-before-the-permalink": ('<section id="s"><h2>T<a class="headerlink" href="#p">¶</a></h2></section>', ("s", "p")),
    "a-section-that-is-a-div": ('<div class="section" id="s"><h2>T<a class="headerlink" href="#p">¶</a></h2></div>', ("s", "p")),
    "the-innermost-section-leads": ('<section id="o"><section id="s"><h2>T<a href="#p">#</a></h2></section></section>', ("s", "p", "o")),
    "the-id-of-the-heading-knows-best": ('<section id="s"><h2 id="h">T<a href="#h">#</a></h2></section>', ("h", "s")),
    "the-permalink-before-a-mere-frame": ('<div id="d"><h2>T<a class="headerlink" href="#p">¶</a></h2></div>', ("p", "d")),
    "a-later-heading-is-not-the-sections-title": ('<section id="s"><p>x</p><h2>T<a href="#p">#</a></h2></section>', ("p",)),
    "a-permalink-that-is-percent-encoded": ('<h2 id="&lt;init&gt;()">T<a class="headerlink" href="#%3Cinit%3E()">¶</a></h2>', ("<init>()",)),
    "a-mark-that-carries-the-id": ('<h2>T<span><a class="mark" href="#m" id="m">#</a></span></h2>', ("m",)),
    "a-frame-of-the-page-is-no-place": ('<div id="content"><h2>T</h2></div>', ()),
}  # fmt: skip


def test_anchor_after_the_last_block_is_not_lost() -> None:
    blocks = blocks_of('<p id="p">x</p><p>y</p><a id="end"></a><div id="d"><span id="s"></span></div>')
    assert [block.anchors for block in blocks] == [("p",), ("d", "end", "s")]


@pytest.mark.parametrize("length", [5, 5000], ids=["remembered", "too-long-to-remember"])
def test_rules_hold_however_long_an_attribute_is(length: int) -> None:
    long = length * "c"
    content = f'<p>x</p><div class="{long} breadcrumbs">y</div><p style="--{long}:1;display:none">z</p>'
    assert markdown_of(content) == "x"


@pytest.mark.parametrize(("content", "anchors"), ANCHORS.values(), ids=ANCHORS.keys())
def test_heading_keeps_its_anchors(content: str, anchors: tuple[str, ...]) -> None:
    heading = next(block for block in blocks_of(content) if block.kind == "heading")
    assert heading.level == 2
    assert heading.anchors == anchors


def test_block_kinds_and_fields() -> None:
    blocks = blocks_of(
        '<h3 id="h">H</h3><p id="p">a <a id="x"></a>b</p><pre class="language-sh">c</pre><ul id="u"><li id="i">l</li></ul>'
        '<table id="t"><tr><th>a<tr id="r"><td>1</table><dl><dt id="d">D</dt></dl><blockquote>q</blockquote>'
        '<div class="admonition tip"><p>t</p></div><p><img alt="i" src="/i"></p>'
    )
    assert [(b.kind, b.level, b.anchors, b.language, b.header_lines) for b in blocks] == [
        ("heading", 3, ("h",), "", 0),
        ("paragraph", 0, ("p", "x"), "", 0),
        ("code", 0, (), "sh", 0),
        ("list", 0, ("u", "i"), "", 0),
        ("table", 0, ("t", "r"), "", 2),
        ("definition", 0, ("d",), "", 0),
        ("quote", 0, (), "", 0),
        ("admonition", 0, (), "", 0),
        ("image", 0, (), "", 0),
    ]


KINDS = {
    "signature-of-sphinx": ('<dl class="py"><dt class="sig sig-object" id="f"><span class="sig-name">f</span>()</dt></dl>', "signature", "`f()`", ("f",)),
    "signature-of-old-sphinx": ('<dl class="function"><dt id="f"><code class="descname">f</code>(<em>x</em>)</dt></dl>', "signature", "`f(x)`", ("f",)),
    "term-of-a-glossary": ('<dl class="glossary"><dt id="term-tree">tree<a class="headerlink" href="#term-tree">¶</a></dt></dl>', "definition", "`tree`", ("term-tree",)),
    "option-of-asciidoc": ('<div class="dlist"><dl><dt class="hdlist1" id="v">-v</dt></dl></div>', "definition", "`-v`", ("v",)),
    "term-in-a-group": ('<dl><div><dt id="a">A</dt><dd></dd></div></dl>', "definition", "`A`", ("a",)),
    "label-of-a-tab": ('<div class="tabs"><ul role="tablist"><li role="tab">A</li></ul><div role="tabpanel"><p></p></div></div>', "tab", "**A**", ()),
    "image": ('<figure><img src="/i" alt="A graph"></figure>', "image", "![A graph](https://docs.test/i)", ()),
    "math-of-sphinx": ('<div class="math" id="e"><span class="eqno">(1)<a class="headerlink" href="#e">¶</a></span>\\[a\\\\b\\]</div>', "math", "$a\\\\b$ (1)", ("e",)),
    "math-of-sphinx-as-an-image": ('<div class="math"><p><img src="/m.png" alt="a^2"></p></div>', "math", "$a^2$", ()),
    "math-of-mkdocs": ('<div class="arithmatex">\\[ x = y \\]</div>', "math", "$x = y$", ()),
    "math-of-katex": ('<div class="katex-display"><math><mi>x</mi><annotation encoding="application/x-tex">x^2</annotation></math></div>', "math", "$x^2$", ()),
    "math-of-mathjax": ('<script type="math/tex; mode=display">E=mc^2</script>', "math", "$E=mc^2$", ()),
    "math-of-mathml": ('<math display="block" alttext="a+b"><mi>a</mi></math>', "math", "$a+b$", ()),
}  # fmt: skip


@pytest.mark.parametrize(("content", "kind", "markdown", "anchors"), KINDS.values(), ids=KINDS.keys())
def test_5_1_each_kind_of_block(content: str, kind: str, markdown: str, anchors: tuple[str, ...]) -> None:
    (block,) = blocks_of(content)
    assert (block.kind, block.markdown, block.anchors) == (kind, markdown, anchors)


def test_every_line_of_hidden_text_stays_out_of_links_and_code() -> None:
    page = read('<pre>a\U000e0041b</pre><p><a href="/x">li\u200bnk</a></p>')
    assert "```\nab\n```" in page.markdown
    assert "[link](https://docs.test/x)" in page.markdown
