"""Models. ONNX Runtime reports its use to its maker unless told not to before it is first imported: nothing of what
this bot does leaves it unasked."""

import os

os.environ["ORT_DISABLE_TELEMETRY"] = "1"
