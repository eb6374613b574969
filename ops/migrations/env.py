"""Alembic's entry. It is given a connection that is in a transaction already (`adapters.sql.database.migrate`)."""

from alembic import context

from adapters.sql.tables.policies import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,  # SQLite cannot change a column: the table is copied
)
with context.begin_transaction():
    context.run_migrations()
