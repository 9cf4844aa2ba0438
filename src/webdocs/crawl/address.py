"""Which network addresses and ports may a crawl dial?

The blocks are our own table: `ipaddress.is_global` calls 6to4, IPv4-compatible, site-local and multicast
addresses global, and differs between Python versions. Only parsing is taken from `ipaddress`. A reason names
the rule and what to do, never the address that a name resolved to: the asker may be a stranger who maps the
network.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

from webdocs.errors import SettingError

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

_PRIVATE = "a private network"
_LOOPBACK = "this machine"
_RESERVED = "a reserved block"

_BLOCKS: tuple[tuple[str, str, str], ...] = (
    ("0.0.0.0/8", _LOOPBACK, "RFC 791, 3.2"),
    ("10.0.0.0/8", _PRIVATE, "RFC 1918"),
    ("100.64.0.0/10", "a carrier's shared network", "RFC 6598"),
    ("127.0.0.0/8", _LOOPBACK, "RFC 1122, 3.2.1.3"),
    ("169.254.0.0/16", "a link-local network", "RFC 3927"),
    ("172.16.0.0/12", _PRIVATE, "RFC 1918"),
    ("192.0.0.0/24", _RESERVED, "RFC 6890, 2.1"),
    ("192.0.2.0/24", "a documentation block", "RFC 5737"),
    ("192.88.99.0/24", _RESERVED, "RFC 7526"),
    ("192.168.0.0/16", _PRIVATE, "RFC 1918"),
    ("198.18.0.0/15", "a benchmarking block", "RFC 2544"),
    ("198.51.100.0/24", "a documentation block", "RFC 5737"),
    ("203.0.113.0/24", "a documentation block", "RFC 5737"),
    ("224.0.0.0/4", "a multicast block", "RFC 5771"),
    ("240.0.0.0/4", _RESERVED, "RFC 1112, 4"),
    ("::/128", _LOOPBACK, "RFC 4291, 2.5.2"),
    ("::1/128", _LOOPBACK, "RFC 4291, 2.5.3"),
    ("64:ff9b:1::/48", "a translation block", "RFC 8215"),
    ("100::/64", _RESERVED, "RFC 6666"),
    ("2001::/23", _RESERVED, "RFC 2928"),
    ("2001:db8::/32", "a documentation block", "RFC 3849"),
    ("3fff::/20", "a documentation block", "RFC 9637"),
    ("5f00::/16", _RESERVED, "RFC 9602"),
    ("fc00::/7", _PRIVATE, "RFC 4193"),
    ("fe80::/10", "a link-local network", "RFC 4291, 2.5.6"),
    ("fec0::/10", _PRIVATE, "RFC 3879"),
    ("ff00::/8", "a multicast block", "RFC 4291, 2.7"),
)
"""Block, what to call it, where it is set down."""

_REFUSED = tuple((ipaddress.ip_network(block), name) for block, name, _ in _BLOCKS)

_GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")
"""IANA gives out global IPv6 addresses from nowhere else (RFC 4291, 2.4)."""

_MAPPED = ipaddress.IPv6Network("::ffff:0:0/96")  # RFC 4291, 2.5.5.2
_COMPATIBLE = ipaddress.IPv6Network("::/96")  # RFC 4291, 2.5.5.1
_TRANSLATED = ipaddress.IPv6Network("::ffff:0:0:0/96")  # RFC 7915 (SIIT)
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")  # RFC 6052
_6TO4 = ipaddress.IPv6Network("2002::/16")  # RFC 3056
_TEREDO = ipaddress.IPv6Network("2001::/32")  # RFC 4380

_METADATA_ADDRESSES = frozenset(
    ipaddress.ip_address(address)
    for address in (
        "169.254.169.254",  # AWS, Azure, Google, DigitalOcean, OpenStack
        "169.254.170.2",  # AWS containers
        "100.100.100.200",  # Alibaba
        "192.0.0.192",  # Oracle
        "168.63.129.16",  # Azure's wire server: a public address
        "fd00:ec2::254",  # AWS over IPv6
    )
)
_METADATA_NAMES = frozenset(("metadata", "metadata.google.internal", "instance-data", "instance-data.ec2.internal"))

_LOCALHOST_NAMES = frozenset(
    [
        "localhost",
        "localhost.localdomain",
        "localhost6",
        "localhost6.localdomain6",
        "ip6-localhost",
        "ip6-loopback",
    ]
)
"""RFC 6761, 6.3, and the names that distributions put into /etc/hosts."""

_BROWSER_BAD_PORTS = (1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566)
_BROWSER_BAD_PORTS += (*range(6665, 6670), 6679, 6697, 10080)
"""WHATWG Fetch, "bad port", from 1024 up."""

_CONTROL_PORTS = (1080, 1433, 1521, 1883, 2181, 2222, 2375, 2376, 2377, 2379, 2380, 3128, 3306, 3389, 4369)
_CONTROL_PORTS += (5432, 5672, 5900, 5901, 5902, 5984, 5985, 5986, 6379, 6443, 7000, 7001, 8086, 8500, 9042)
_CONTROL_PORTS += (
    9092,
    9160,
    9200,
    9300,
    10250,
    10255,
    11211,
    15672,
    26379,
    27017,
    27018,
    27019,
    50000,
    50070,
)
"""Our choice: services that a plain HTTP request can move, or whose HTTP interface gives control."""

SERVICE_PORTS = frozenset((*_BROWSER_BAD_PORTS, *_CONTROL_PORTS))


@dataclass(frozen=True, slots=True)
class AllowList:
    """What an operator opened although it is private. Empty by default; there is no "everything".

    Attributes:
        networks: Blocks, open on every port of the port rule; a single address is a block of one.
        names: Host names, open on every port of the port rule.
        sockets: Host name or address with exactly this port, whatever the port rule says.
    """

    networks: tuple[Network, ...] = ()
    names: frozenset[str] = field(default_factory=frozenset)
    sockets: frozenset[tuple[str, int]] = field(default_factory=frozenset)

    @classmethod
    def parse(cls, entries: Iterable[str]) -> AllowList:
        """Read entries such as `docs.intra`, `docs.intra:8443`, `10.0.0.0/8`, `127.0.0.1:8080`, `[::1]:80`.

        Raises:
            SettingError: An entry is none of these, or a block covers more than the network of one owner.
        """
        networks: list[Network] = []
        names: set[str] = set()
        sockets: set[tuple[str, int]] = set()
        for entry in entries:
            match _parse_entry(entry.strip()):
                case (host, port):
                    sockets.add((host, port))
                case str(name):
                    names.add(name)
                case network:
                    networks.append(network)
        return cls(tuple(networks), frozenset(names), frozenset(sockets))

    def names_socket(self, host: str, port: int) -> bool:
        """True if exactly this host and port are open."""
        return (host, port) in self.sockets

    def names_host(self, host: str, port: int) -> bool:
        """True if the host is open by its name, on this port."""
        return host in self.names or self.names_socket(host, port)

    def covers(self, address: Address, port: int) -> bool:
        """True if the address is open on this port."""
        if self.names_socket(str(address), port):
            return True
        return any(address in network for network in self.networks if network.version == address.version)

    def names_exactly(self, address: Address, port: int) -> bool:
        """True if this one address is open, not merely a block around it."""
        return self.names_socket(str(address), port) or any(
            network.num_addresses == 1 and address == network.network_address for network in self.networks
        )


def _parse_entry(entry: str) -> Network | str | tuple[str, int]:
    if "/" in entry:
        return _parse_network(entry)
    if (address := _address_or_none(entry.removeprefix("[").removesuffix("]"))) is not None:
        return ipaddress.ip_network(address)
    host, colon, port = entry.rpartition(":")
    if not colon:
        return _parse_name(entry, entry)
    if not port.isascii() or not port.isdigit() or not 0 < int(port) < 65536:
        raise _bad_entry(entry)
    address = _address_or_none(host.removeprefix("[").removesuffix("]"))
    return (str(address) if address is not None else _parse_name(host, entry), int(port))


def _parse_network(entry: str) -> Network:
    try:
        network = ipaddress.ip_network(entry, strict=False)
    except ValueError as exc:
        raise _bad_entry(entry) from exc
    # No private block is larger than these two: a wider one would switch the guard off.
    if network.prefixlen < (8 if network.version == 4 else 7):
        raise SettingError(f"allow-private: {entry} is wider than any private network", "Name a narrower block")
    return network


def _parse_name(name: str, entry: str) -> str:
    lowered = name.lower().removesuffix(".")
    labels = lowered.split(".")
    if not all(label and label.replace("-", "").replace("_", "").isalnum() for label in labels):
        raise _bad_entry(entry)
    return lowered


def _bad_entry(entry: str) -> SettingError:
    return SettingError(
        f"allow-private: {entry!r} is no host, host:port or block of addresses",
        "Write docs.intra, docs.intra:8443, 10.0.0.0/8, 127.0.0.1:8080 or [::1]:80",
    )


def judge_host(host: str, port: int, allow: AllowList) -> str:
    """Why a host must not even be looked up; empty if it may.

    Args:
        host: As in the URL: lower case, no brackets, no trailing dot.
        port: Where the request goes.
        allow: What the operator opened.
    """
    if reason := _judge_port(host, port, allow):
        return reason
    if (address := _address_or_none(host)) is not None:
        return judge_address(str(address), port, host, allow)
    if allow.names_host(host, port):
        return ""
    if host in _LOCALHOST_NAMES or host.endswith(".localhost"):
        return f"the host is {_LOOPBACK}; {_remedy(host, port)}"
    if host in _METADATA_NAMES:
        return f"the host is a cloud's metadata service; {_remedy(host, port)}"
    return ""


def _judge_port(host: str, port: int, allow: AllowList) -> str:
    if port in (80, 443) or (port >= 1024 and port not in SERVICE_PORTS) or allow.names_socket(host, port):
        return ""
    return f"port {port} is not one that documentation is served on; {_remedy(host, port)}"


def judge_address(ip: str, port: int, host: str, allow: AllowList) -> str:
    """Why an address must not be dialled; empty if it may.

    Args:
        ip: The literal address that the socket would be opened to.
        port: Its port.
        host: The host of the URL, which resolved to it.
        allow: What the operator opened.

    Returns:
        A reason that names the rule and what to do, without the address.
    """
    address = _address_or_none(ip)
    if address is None:
        return f"the host resolves to no address that can be judged; {_remedy(host, port)}"
    embedded = _embedded(address)
    if any(each in _METADATA_ADDRESSES for each in (address, *embedded)):
        if allow.names_exactly(address, port) or (host in _METADATA_NAMES and allow.names_host(host, port)):
            return ""
        return "the host is a cloud's metadata service; name its address in allow-private if that is meant"
    if allow.names_host(host, port) or allow.covers(address, port):
        return ""
    if isinstance(address, IPv6Address) and address in _MAPPED and allow.covers(embedded[0], port):
        return ""
    for each in embedded or (address,):
        if block := _block_of(each):
            return f"the host is in {block}; {_remedy(host, port)}"
    return ""


def _block_of(address: Address) -> str:
    """What the refused block is called that holds the address; empty if none does."""
    for network, name in _REFUSED:
        if network.version == address.version and address in network:
            return name
    if isinstance(address, IPv6Address) and address not in _GLOBAL_UNICAST:
        return _RESERVED
    return ""


def _embedded(address: Address) -> tuple[IPv4Address, ...]:
    """The IPv4 addresses that a packet to this IPv6 address may end at."""
    if isinstance(address, IPv4Address):
        return ()
    number = int(address)
    low = IPv4Address(number & 0xFFFF_FFFF)
    if address in _6TO4:
        return (IPv4Address((number >> 80) & 0xFFFF_FFFF),)
    if address in _TEREDO:
        # The server in clear, the client with its bits flipped (RFC 4380, 4).
        return (IPv4Address((number >> 64) & 0xFFFF_FFFF), IPv4Address(int(low) ^ 0xFFFF_FFFF))
    if address in _COMPATIBLE:
        return (low,) if number > 1 else ()
    if address in _MAPPED or address in _TRANSLATED or address in _NAT64:
        return (low,)
    return ()


def _address_or_none(text: str) -> Address | None:
    """The address; None for a name, and for an address with a zone, which no URL can name."""
    if "%" in text:
        return None
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


def _remedy(host: str, port: int) -> str:
    shown = f"[{host}]" if ":" in host else host
    return f"the operator can open it with allow-private {shown}:{port}"
