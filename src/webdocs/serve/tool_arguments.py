"""What may an agent say to each tool? Models whose JSON schemas are the tools' input schemas."""

from __future__ import annotations

from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

DEFAULT_MAX_TOKENS = 4_000
"""Contract B1."""

MAX_OFFSET = 1_000_000_000
"""Our choice: beyond any index, and inside the 64 bits of a database column."""

MaxTokens = Annotated[
    int,
    Field(ge=256, le=50_000, description="Longest answer, in tokens.", examples=[DEFAULT_MAX_TOKENS]),
]
Site = Annotated[
    str, Field(max_length=200, description="Name of a site, see list_sites.", examples=["docs.example.org"])
]
Version = Annotated[str, Field(max_length=100, description="One version of the site.", examples=["3.12"])]
Offset = Annotated[
    int, Field(ge=0, le=MAX_OFFSET, description="Where to read on, as the last answer said.", examples=[0])
]
JobId = Annotated[
    str, Field(min_length=1, max_length=100, description="As submit_document answered it.", examples=["5f2c9a7d"])
]


class Arguments(BaseModel):
    """Arguments of one tool; a name that is not declared is refused."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)


class SearchDocsArguments(Arguments):
    query: str = Field(
        min_length=1,
        max_length=1_000,
        description="What to find: a question, a name from the API, an error message.",
        examples=["how to cancel a task"],
    )
    top_k: int = Field(default=5, ge=1, le=25, description="Most passages.", examples=[5])
    site: Site = ""
    version: Version = ""
    max_tokens: MaxTokens = DEFAULT_MAX_TOKENS


class ListDocPagesArguments(Arguments):
    site: Site = ""
    offset: Offset = 0
    limit: int = Field(default=100, ge=1, le=500, description="Most pages.", examples=[100])


class GetDocPageArguments(Arguments):
    page_id: str = Field(
        default="",
        max_length=100,
        description="Id of the page. Give this or url.",
        examples=["0a1b2c3d4e5f6071"],
    )
    url: str = Field(
        default="",
        max_length=8_000,
        description="URL of the page; a #fragment names the section.",
        examples=["https://docs.example.org/guide#install"],
    )
    section: str = Field(
        default="", max_length=500, description="Only this section: its anchor or heading.", examples=["install"]
    )
    offset: Offset = 0
    max_tokens: MaxTokens = DEFAULT_MAX_TOKENS

    @model_validator(mode="after")
    def _names_one_page(self) -> Self:
        if bool(self.page_id) == bool(self.url):
            raise ValueError("give either page_id or url")
        return self


class ListSitesArguments(Arguments):
    pass


class SubmitDocumentArguments(Arguments):
    """The spider options of contract E, in its spelling; snake_case is taken as well."""

    url: str = Field(
        min_length=1,
        max_length=8_000,
        description="The page to index, http or https.",
        examples=["https://docs.example.org/guide/"],
    )
    spider: bool = Field(default=False, description="Follow its links as well.", examples=[True])
    max_pages: int = Field(
        default=25, ge=1, alias="maxPages", description="Most pages; above 200 is clamped.", examples=[25]
    )
    max_depth: int = Field(
        default=2,
        ge=0,
        alias="maxDepth",
        description="Most links from the page, 0 is only itself; above 5 is clamped.",
        examples=[2],
    )
    same_domain: bool = Field(
        default=True,
        alias="sameDomain",
        description="Stay on its host and subdomains; false follows links to any host.",
        examples=[True],
    )
    path_prefix: str | None = Field(
        default=None,
        max_length=2_000,
        alias="pathPrefix",
        description="Only pages whose path starts with it.",
        examples=["/guide/"],
    )
    exclude_patterns: list[Annotated[str, Field(min_length=1, max_length=500)]] = Field(
        default=[],
        max_length=100,
        alias="excludePatterns",
        description="Globs over the URL, * crosses /; a glob that begins with / is held against the path.",
        examples=[["*/blog/*"]],
    )


class JobProgressArguments(Arguments):
    job_id: str = Field(
        default="", max_length=100, description="One job; without it all of them.", examples=["5f2c9a7d"]
    )


class CancelJobArguments(Arguments):
    job_id: JobId


def schema_of(model: type[BaseModel], mode: str = "validation") -> dict[str, Any]:
    """The JSON schema of a model, without the titles that pydantic makes of field names."""
    schema = model.model_json_schema(mode="serialization" if mode == "serialization" else "validation")
    schema.pop("description", None)
    return _without_titles(schema)


def _without_titles(node: Any) -> Any:
    if isinstance(node, dict):
        return {
            key: _without_titles(value)
            for key, value in node.items()
            if not (key == "title" and isinstance(value, str))
        }
    return [_without_titles(item) for item in node] if isinstance(node, list) else node
