"""A response held against the OpenAPI document that the server gives of itself."""

import json
import re
from collections.abc import Mapping
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker


class Described:
    """The document; says what is wrong with a response, or nothing."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.document = document

    def operation(self, method: str, path: str) -> Mapping[str, Any]:
        """Of a path as it was called. Raises KeyError for one that is not described."""
        found = [each for each in self.document["paths"] if _pattern(each).fullmatch(path)]
        exact = [each for each in found if each == path] or found
        operation: Mapping[str, Any] = self.document["paths"][exact[0] if exact else path][method.lower()]
        return operation

    def complaints(self, method: str, path: str, status: int, content_type: str, text: str) -> list[str]:
        """What of a response the document does not say; `path` without its query."""
        responses = self.operation(method, path)["responses"]
        if str(status) not in responses:
            return [f"{method} {path}: status {status} is not described"]
        content = responses[str(status)]["content"]
        if content_type not in content:
            return [f"{method} {path}: {status} as {content_type} is not described"]
        if content_type in ("text/plain", "text/event-stream"):
            return []
        return self.mismatches(content[content_type]["schema"], json.loads(text))

    def mismatches(self, schema: Mapping[str, Any], value: object) -> list[str]:
        whole = {**schema, "components": self.document["components"]}
        validator = Draft202012Validator(whole, format_checker=FormatChecker())
        return [f"{each.json_path}: {each.message[:300]}" for each in validator.iter_errors(value)]


def _pattern(path: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(path)))
