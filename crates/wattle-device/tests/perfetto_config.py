"""Reads a TraceConfig (with --text: in the text format) with Google's protobuf runtime and Perfetto's own schema, and prints it as JSON.

    pip install perfetto protobuf
"""

import json
import sys

from google.protobuf import text_format
from google.protobuf.json_format import MessageToDict
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import TraceConfig


def unknown(message, path, into):
    """Numbers that the schema does not have: it would be no error of Perfetto's, and no recording either."""
    try:
        from google.protobuf.unknown_fields import UnknownFieldSet
    except ImportError:
        return
    for field in UnknownFieldSet(message):
        into.append(f"{path}.{field.field_number}")
    for descriptor, value in message.ListFields():
        if descriptor.message_type is None:
            continue
        values = [value] if hasattr(value, "ListFields") else value
        for one in values:
            unknown(one, f"{path}.{descriptor.name}", into)


config = TraceConfig()
given = sys.stdin.buffer.read()
if "--text" in sys.argv:
    text_format.Parse(given, config)
else:
    config.ParseFromString(given)
found = []
unknown(config, "config", found)
print(json.dumps({"unknown": found, "config": MessageToDict(config, preserving_proto_field_name=True)}))
