import type { Dialect, List } from '../db.ts'

export const postgresDialect: Dialect = {
  // With `= any`, a plan from when the table was small would read all rows of the tenant for each page.
  recordsByKeys: (columns, condition = 'true') =>
    `select ${columns} from unnest(@keys::text[]) as given (wanted) cross join lateral
       (select * from records where tenant_id = @tenantId and resource = @resource and key = wanted limit 1) as known
     where ${condition}`,
  isIn: (column) => `${column} = any(?)`,
  listOf: (values) => values as readonly unknown[] as unknown as List,
  integerOf: (text) => `case when ${text} ~ '^-?[0-9]{1,16}$' then ${text}::bigint end`,
  jsonArray: (values) => `json_build_array(${values.join(', ')})::text`,
  jsonMember(json, member, type) {
    const text = `(${json}::json ->> ${typeof member === 'number' ? member : `'${member}'`})`
    return type === 'integer' ? `${text}::bigint` : text
  },
  rowsOf(rows, columns) {
    const row = `(${Array(columns).fill('?').join(', ')})`
    return Array(rows).fill(row).join(', ')
  },
  givenRows(columns) {
    const names = Object.keys(columns)
    const lists = names.map((name) => `@${name}::${columns[name] === 'integer' ? 'bigint' : 'text'}[]`)
    return `unnest(${lists.join(', ')}) with ordinality as given (${names.map((name) => `"${name}"`).join(', ')}, n)`
  },
  bindRows: (columns, rows) =>
    Object.fromEntries(Object.keys(columns).map((name) => [name, rows.map((row) => Reflect.get(row, name) ?? null)])),
}
