export interface SqlColumn {
  readonly name: string
  /** Of PostgreSQL. */
  readonly type: 'bigint' | 'boolean' | 'json' | 'numeric' | 'text' | 'timestamp with time zone'
  /** Expression over the tables of `SqlView.from`. */
  readonly sql: string
  /** Plain Markdown in one line. */
  readonly means: string
}

/** A view for people and Grafana; its columns are a promise (docs/sql.md). */
export interface SqlView {
  readonly name: string
  /** One sentence of Markdown: one row for each of these. */
  readonly rows: string
  readonly columns: readonly SqlColumn[]
  readonly from: string
}

/** Statement that creates the view, as SQLite stores it. @param options of the database. */
export function creationOf({ name, columns, from }: SqlView, options = ''): string {
  const list = columns.map((column) => `  ${column.sql} as "${column.name}"`).join(',\n')
  return `CREATE VIEW "${name}"${options} as select\n${list}\nfrom ${from}`
}
