"""Code that is made of the fields of messages, from templates."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from abathur.bench.schema.model import Field

#: Templates of a field by what it is: ``default`` (an absent one reads as something that would count), its kind or
#: ``one``; ``each KIND`` or ``each`` if it is repeated. The first of them that there is. In it, $name, $type and
#: $message stand for the field's, and ``$WORD(value)`` is a call of one of the functions.
Templates = Mapping[str, str]
_CALL = re.compile(r"\$(\w+)\(((?:[^()]|\([^()]*\))*)\)")


def expand(
    templates: Templates, field: Field, name: str, kind: str, functions: Mapping[str, Callable[[Field, str], str]]
) -> list[str]:
    """The lines of a field."""
    each = "each " if field.repeated else ""
    default = "default" if field.default != 0 and not field.repeated else ""
    template = next(templates[key] for key in (default, each + field.kind, each.strip() or "one") if key in templates)
    text = template.replace("$name", name).replace("$message", field.message).replace("$type", kind)
    return _CALL.sub(lambda call: functions[call[1]](field, call[2]), text).splitlines()
