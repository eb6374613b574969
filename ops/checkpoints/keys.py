"""Who signs checkpoints here, and whose checkpoints are believed."""

from pathlib import Path

from adapters.local.checkpoint_file import CheckpointFile
from adapters.local.signing import Ed25519Signer, TrustedKeys
from ops.config import Config
from ops.data_folder import prepare_folder, signing_key

_FILE = "audit-checkpoints.jsonl"


def build_signer(config: Config) -> Ed25519Signer:
    """Raises Misconfigured("audit_key_malformed")."""
    return Ed25519Signer(signing_key(config))


def build_trusted_keys(config: Config) -> TrustedKeys:
    """Our own key and those that the settings name. Raises Misconfigured("audit_trusted_key_malformed")."""
    return TrustedKeys([build_signer(config).public_key, *config.audit_trusted_keys.split(",")])


def build_checkpoint_file(config: Config) -> CheckpointFile:
    """Where checkpoints are kept beside the database."""
    return CheckpointFile(checkpoint_path(config))


def checkpoint_path(config: Config) -> Path:
    return config.audit_checkpoints or prepare_folder(config.data_dir) / _FILE
