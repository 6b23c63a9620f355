"""Signs typed data as an Ethereum wallet does: Keccak-256, secp256k1 and EIP-712, with nothing but the standard library."""
import hashlib
import hmac

# Keccak-256, as Ethereum uses it: not the SHA3-256 of hashlib, whose padding differs.
_ROTATIONS = [[0, 36, 3, 41, 18], [1, 44, 10, 45, 2], [62, 6, 43, 15, 61], [28, 55, 25, 21, 56], [27, 20, 39, 8, 14]]
_MASK = (1 << 64) - 1
_RATE = 136


def _round_constants():
    constants, register = [], 1
    for _ in range(24):
        constant = 0
        for bit in range(7):
            if register & 1:
                constant |= 1 << ((1 << bit) - 1)
            register = (register << 1) ^ (0x171 if register & 0x80 else 0)
        constants.append(constant)
    return constants


_CONSTANTS = _round_constants()


def _rotate(word, by):
    return ((word << by) | (word >> (64 - by))) & _MASK if by else word


def _permute(a):
    for constant in _CONSTANTS:
        c = [a[x][0] ^ a[x][1] ^ a[x][2] ^ a[x][3] ^ a[x][4] for x in range(5)]
        d = [c[x - 1] ^ _rotate(c[(x + 1) % 5], 1) for x in range(5)]
        a = [[a[x][y] ^ d[x] for y in range(5)] for x in range(5)]
        b = [[0] * 5 for _ in range(5)]
        for x in range(5):
            for y in range(5):
                b[y][(2 * x + 3 * y) % 5] = _rotate(a[x][y], _ROTATIONS[x][y])
        a = [[b[x][y] ^ (~b[(x + 1) % 5][y] & b[(x + 2) % 5][y]) for y in range(5)] for x in range(5)]
        a[0][0] ^= constant
    return a


def keccak(data):
    padding = _RATE - len(data) % _RATE
    data += b"\x81" if padding == 1 else b"\x01" + b"\x00" * (padding - 2) + b"\x80"
    state = [[0] * 5 for _ in range(5)]
    for start in range(0, len(data), _RATE):
        for i in range(_RATE // 8):
            state[i % 5][i // 5] ^= int.from_bytes(data[start + 8 * i : start + 8 * i + 8], "little")
        state = _permute(state)
    return b"".join(state[i % 5][i // 5].to_bytes(8, "little") for i in range(4))


# secp256k1
_P = 2**256 - 2**32 - 977
_N = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
_G = (
    0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
    0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8,
)


def _add(p, q):
    if p is None or q is None:
        return p or q
    if p[0] == q[0]:
        if (p[1] + q[1]) % _P == 0:
            return None
        slope = 3 * p[0] * p[0] * pow(2 * p[1], -1, _P) % _P
    else:
        slope = (q[1] - p[1]) * pow(q[0] - p[0], -1, _P) % _P
    x = (slope * slope - p[0] - q[0]) % _P
    return x, (slope * (p[0] - x) - p[1]) % _P


def _multiply(k, point):
    total = None
    while k:
        if k & 1:
            total = _add(total, point)
        point = _add(point, point)
        k >>= 1
    return total


def _nonce(key, digest):
    """Deterministic nonce (RFC 6979): signing the same order twice gives the same signature, and bad randomness cannot leak the key."""
    v, k = b"\x01" * 32, b"\x00" * 32
    seed = key.to_bytes(32, "big") + (int.from_bytes(digest, "big") % _N).to_bytes(32, "big")
    for tag in (b"\x00", b"\x01"):
        k = hmac.new(k, v + tag + seed, hashlib.sha256).digest()
        v = hmac.new(k, v, hashlib.sha256).digest()
    while True:
        v = hmac.new(k, v, hashlib.sha256).digest()
        candidate = int.from_bytes(v, "big")
        if 0 < candidate < _N:
            return candidate
        k = hmac.new(k, v + b"\x00", hashlib.sha256).digest()
        v = hmac.new(k, v, hashlib.sha256).digest()


def checksum(address):
    lower = address.lower().removeprefix("0x")
    digits = keccak(lower.encode()).hex()
    return "0x" + "".join(c.upper() if int(d, 16) >= 8 else c for c, d in zip(lower, digits))


class Wallet:
    """Signs with a private key. For demonstration: a bot that holds real money should use an audited library."""

    def __init__(self, private_key):
        self._key = int(private_key, 16)
        x, y = _multiply(self._key, _G)
        self.address = checksum(keccak(x.to_bytes(32, "big") + y.to_bytes(32, "big"))[12:].hex())

    def sign(self, digest):
        """Returns r, s and v; s is in the lower half of the curve order, as the chain requires."""
        k = _nonce(self._key, digest)
        x, y = _multiply(k, _G)
        r = x % _N
        s = pow(k, -1, _N) * (int.from_bytes(digest, "big") + r * self._key) % _N
        parity = (y & 1) ^ (x >= _N)
        if s > _N // 2:
            s, parity = _N - s, parity ^ 1
        return "0x%064x" % r, "0x%064x" % s, 27 + parity

    def sign_typed(self, domain, name, fields, message):
        return self.sign(typed_digest(domain, name, fields, message))


# EIP-712
_DOMAIN_FIELDS = [
    {"name": "name", "type": "string"},
    {"name": "version", "type": "string"},
    {"name": "chainId", "type": "uint256"},
    {"name": "verifyingContract", "type": "address"},
]


def _encode(kind, value):
    if kind.endswith("[]"):
        return keccak(b"".join(_encode(kind[:-2], each) for each in value))
    if kind == "string":
        return keccak(value.encode())
    if kind == "bool":
        return int(value).to_bytes(32, "big")
    if kind == "bytes32":
        return bytes.fromhex(value[2:])
    if kind == "address":
        return bytes(12) + bytes.fromhex(value[2:])
    return int(value).to_bytes(32, "big")


def _struct_hash(name, fields, message):
    kind = "%s(%s)" % (name, ",".join("%(type)s %(name)s" % field for field in fields))
    return keccak(keccak(kind.encode()) + b"".join(_encode(each["type"], message[each["name"]]) for each in fields))


def typed_digest(domain, name, fields, message):
    separator = _struct_hash("EIP712Domain", _DOMAIN_FIELDS, domain)
    return keccak(b"\x19\x01" + separator + _struct_hash(name, fields, message))
