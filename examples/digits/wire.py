# SPDX-License-Identifier: Apache-2.0
"""The protobuf wire format, as far as writing a model needs it. A message is a list of fields."""
import struct


def varint(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def real(field, value):
    return varint(field << 3 | 5) + struct.pack('<f', value)


def block(field, content):
    """A string, bytes, packed array or nested message."""
    content = content.encode() if isinstance(content, str) else content
    return varint(field << 3 | 2) + varint(len(content)) + content


def floats(field, array):
    """A packed array of float."""
    return block(field, array.astype('<f4').tobytes())
