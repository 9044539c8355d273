import type { Dialect } from './db.ts'

export const sqliteDialect: Dialect = {
  recordsByKeys: (columns, condition = 'true') =>
    `select ${columns} from records
     where tenant_id = @tenantId and resource = @resource and key in (select value from json_each(@keys)) and ${condition}`,
  isIn: (column, list = '?') => `${column} in (select value from json_each(${list}))`,
  jsonMember: (json, name) => `${json} ->> '${name}'`,
  givenRows(columns) {
    const values = Object.keys(columns).map((name, i) => `value ->> ${i} as "${name}"`)
    return `(select key as n, ${values.join(', ')} from json_each(@rows)) as given`
  },
  bindRows(columns, rows) {
    const names = Object.keys(columns)
    return { rows: rows.map((row) => names.map((name) => Reflect.get(row, name) ?? null)) }
  },
}

export const postgresDialect: Dialect = {
  // With `= any`, a plan from when the table was small would read all rows of the tenant for each page.
  recordsByKeys: (columns, condition = 'true') =>
    `select ${columns} from unnest(@keys::text[]) as given (wanted) cross join lateral
       (select * from records where tenant_id = @tenantId and resource = @resource and key = wanted limit 1) as known
     where ${condition}`,
  isIn: (column, list = '?') => `${column} = any(${list})`,
  jsonMember: (json, name) => `(${json}::json ->> '${name}')`,
  givenRows(columns) {
    const names = Object.keys(columns)
    const lists = names.map((name) => `@${name}::${columns[name] === 'integer' ? 'bigint' : 'text'}[]`)
    return `unnest(${lists.join(', ')}) with ordinality as given (${names.map((name) => `"${name}"`).join(', ')}, n)`
  },
  bindRows: (columns, rows) =>
    Object.fromEntries(Object.keys(columns).map((name) => [name, rows.map((row) => Reflect.get(row, name) ?? null)])),
}
