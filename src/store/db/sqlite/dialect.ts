import type { Dialect } from '../db.ts'

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
