"""JSON with one entry gone or of another kind, as people and machines leave it."""

import json


def damaged(text: str, path: tuple, value: object) -> str:
    """The text with another value at a place of it; `"gone"` takes the entry away."""
    data = inner = json.loads(text)
    for key in path[:-1]:
        inner = inner[key]
    if value == "gone":
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return json.dumps(data)
