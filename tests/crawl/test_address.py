"""Which addresses may be dialled. Numbers are rows of the project's SSRF cases."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webdocs.crawl.address import SERVICE_PORTS, AllowList, judge_address, judge_host
from webdocs.errors import SettingError

NOTHING = AllowList()

REFUSED = [
    ("1-loopback", "127.0.0.1"),
    ("3-zero", "0.0.0.0"),
    ("3-unspecified-v6", "::"),
    ("4-loopback-v6", "::1"),
    ("5-mapped", "::ffff:127.0.0.1"),
    ("6-compatible", "::127.0.0.1"),
    ("7-translated", "::ffff:0:127.0.0.1"),
    ("8-nat64", "64:ff9b::7f00:1"),
    ("8-nat64-local", "64:ff9b:1::a00:1"),
    ("9-6to4", "2002:7f00:1::"),
    ("9-teredo-server", "2001:0:7f00:1::"),
    ("9-teredo-client", "2001:0:5db8:d822:0:0:80ff:fffe"),
    ("10-zone", "fe80::1%eth0"),
    ("10-zone-loopback", "::1%lo"),
    ("11-site-local", "fec0::1"),
    ("11-unique-local", "fd12:3456::1"),
    ("11-link-local-v6", "fe80::1"),
    ("11-link-local-v4", "169.254.1.1"),
    ("12-multicast", "224.0.0.1"),
    ("12-multicast-high", "239.255.255.250"),
    ("12-multicast-v6", "ff02::1"),
    ("12-broadcast", "255.255.255.255"),
    ("13-aws", "169.254.169.254"),
    ("13-ecs", "169.254.170.2"),
    ("13-alibaba", "100.100.100.200"),
    ("13-oracle", "192.0.0.192"),
    ("13-azure", "168.63.129.16"),
    ("13-aws-v6", "fd00:ec2::254"),
    ("13-mapped-metadata", "::ffff:168.63.129.16"),
    ("14-carrier", "100.64.0.1"),
    ("14-benchmark", "198.18.0.1"),
    ("14-documentation-1", "192.0.2.1"),
    ("14-documentation-2", "198.51.100.1"),
    ("14-documentation-3", "203.0.113.1"),
    ("14-reserved", "240.0.0.1"),
    ("14-documentation-v6", "2001:db8::1"),
    ("14-documentation-v6-new", "3fff::1"),
    ("14-srv6", "5f00::1"),
    ("private-10", "10.0.0.5"),
    ("private-172", "172.31.255.255"),
    ("private-192", "192.168.1.1"),
    ("unassigned-v6", "4000::1"),
    ("no-address", "nonsense"),
]


@pytest.mark.parametrize("ip", [row[1] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_an_address_that_is_not_public_is_refused_without_being_named_48(ip: str) -> None:
    reason = judge_address(ip, 443, "docs.s.test", NOTHING)
    assert reason
    assert ip.partition("%")[0] not in reason.replace("docs.s.test", "")


PUBLIC = ["93.184.216.34", "172.32.0.1", "100.128.0.1", "192.0.1.1", "2606:4700::1111", "::ffff:93.184.216.34"]


@pytest.mark.parametrize("ip", [*PUBLIC, "64:ff9b::5db8:d822", "2002:5db8:d822::1"])
def test_a_public_address_may_be_dialled(ip: str) -> None:
    assert judge_address(ip, 443, "s.test", NOTHING) == ""


@pytest.mark.parametrize(
    "host",
    [
        *("localhost", "foo.localhost", "localhost.localdomain", "ip6-localhost", "metadata.google.internal"),
        *("127.0.0.1", "::1", "0.0.0.0"),
    ],
)
def test_a_host_of_this_machine_is_refused_before_it_is_looked_up_15(host: str) -> None:
    assert judge_host(host, 80, NOTHING)


@pytest.mark.parametrize("port", [80, 443, 1024, 3000, 8000, 8080, 8443, 9111, 65535])
def test_a_web_port_is_open(port: int) -> None:
    assert judge_host("s.test", port, NOTHING) == ""


@pytest.mark.parametrize("port", [0, 1, 22, 25, 81, 1023, 2222, 2375, 5432, 6379, 9200, 11211, 27017])
def test_a_service_port_is_refused_by_the_port_rule_24(port: int) -> None:
    assert judge_host("s.test", port, NOTHING).startswith(f"port {port} ")


OPENED = [
    ("socket-exactly", ("127.0.0.1:8080",), "127.0.0.1", "127.0.0.1", 8080, True),
    ("socket-other-port", ("127.0.0.1:8080",), "127.0.0.1", "127.0.0.1", 8081, False),
    ("socket-past-the-port-rule", ("127.0.0.1:22",), "127.0.0.1", "127.0.0.1", 22, True),
    ("socket-v6", ("[::1]:80",), "::1", "::1", 80, True),
    ("socket-v6-other-port", ("[::1]:80",), "::1", "::1", 443, False),
    ("socket-by-name", ("docs.intra:8443",), "docs.intra", "10.0.0.5", 8443, True),
    ("socket-by-name-other-port", ("docs.intra:8443",), "docs.intra", "10.0.0.5", 443, False),
    ("name", ("docs.intra",), "docs.intra", "10.0.0.5", 8443, True),
    ("name-any-case-and-dot", ("Docs.Intra.",), "docs.intra", "10.0.0.5", 443, True),
    ("name-service-port", ("docs.intra",), "docs.intra", "10.0.0.5", 6379, False),
    ("name-other-host", ("docs.intra",), "evil.test", "10.0.0.5", 443, False),
    ("localhost-by-name", ("localhost",), "localhost", "127.0.0.1", 8000, True),
    ("block", ("10.0.0.0/8",), "docs.intra", "10.1.2.3", 443, True),
    ("block-mapped", ("10.0.0.0/8",), "docs.intra", "::ffff:10.1.2.3", 443, True),
    ("block-other", ("10.0.0.0/8",), "docs.intra", "192.168.0.1", 443, False),
    ("block-v6", ("fd00::/8",), "docs.intra", "fd12::1", 443, True),
    ("block-service-port", ("10.0.0.0/8",), "10.0.0.5", "10.0.0.5", 6379, False),
    ("address", ("10.0.0.5",), "docs.intra", "10.0.0.5", 8000, True),
    ("13-metadata-in-a-block", ("169.254.0.0/16",), "m.test", "169.254.169.254", 80, False),
    ("13-metadata-behind-a-name", ("m.test",), "m.test", "169.254.169.254", 80, False),
    ("13-metadata-named", ("169.254.169.254",), "169.254.169.254", "169.254.169.254", 80, True),
    ("13-metadata-service-named", ("metadata",), "metadata", "169.254.169.254", 80, True),
]


@pytest.mark.parametrize(
    ("entries", "host", "ip", "port", "is_open"), [row[1:] for row in OPENED], ids=[row[0] for row in OPENED]
)
def test_allow_private_opens_just_what_it_names(
    entries: tuple[str, ...], host: str, ip: str, port: int, is_open: bool
) -> None:
    allow = AllowList.parse(entries)
    reason = judge_host(host, port, allow) or judge_address(ip, port, host, allow)
    assert (reason == "") is is_open


NO_ENTRIES = ["", "*", "a b", "s.test:", "s.test:0", "s.test:70000", "http://s.test/"]
NO_ENTRIES += ["0.0.0.0/0", "::/0", "10.0.0.0/7", "10.0.0.0/99"]


@pytest.mark.parametrize("entry", NO_ENTRIES)
def test_an_entry_that_is_none_is_a_setting_error(entry: str) -> None:
    with pytest.raises(SettingError):
        AllowList.parse((entry,))


@given(st.ip_addresses(v=4))
def test_an_address_in_any_disguise_is_judged_as_itself(address) -> None:
    plain = bool(judge_address(str(address), 443, "s.test", NOTHING))
    for disguise in ("::ffff:{}", "::ffff:0:{}", "64:ff9b::{}"):
        assert bool(judge_address(disguise.format(address), 443, "s.test", NOTHING)) is plain


@given(st.sampled_from(sorted(SERVICE_PORTS)))
def test_no_service_port_is_open_by_default(port: int) -> None:
    assert judge_host("s.test", port, NOTHING)
