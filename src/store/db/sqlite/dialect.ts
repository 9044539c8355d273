import type { Dialect, List } from '../db.ts'

export const sqliteDialect: Dialect = {
  recordsByKeys: (columns, condition = 'true') =>
    `select ${columns} from records
     where tenant_id = @tenantId and resource = @resource and key in (select value from json_each(@keys)) and ${condition}`,
  isIn: (column) => `${column} in (select value from json_each(?))`,
  listOf: (values) => JSON.stringify(values) as unknown as List,
  indexedBy: (index) => `indexed by "${index}"`,
  integerOf: (text) => `cast(${text} as integer)`,
  // SQLite's `like` ignores the case of ASCII letters.
  forLike: (column) => column,
  pattern: {
    operator: 'glob',
    // A pattern that begins with a letter is twice as fast as one that begins with a set.
    of([first = [], ...rest]) {
      const following = rest.map(setOf).join('')
      return (first.length === 0 ? ['?'] : first.map((letter) => setOf([letter]))).map((one) => `*${one}${following}*`)
    },
  },
  jsonArray: (values) => `json_array(${values.join(', ')})`,
  jsonMember: (json, member) => `${json} ->> ${typeof member === 'number' ? member : `'${member}'`}`,
  jsonText: (json, member) => `${json} ->> '${member}'`,
  jsonWith: (json, member, text) => `json_set(${json}, '$.${member}', '${text}')`,
  rowsOf(rows, columns) {
    const row = `(${Array(columns).fill('?').join(', ')})`
    return Array(rows).fill(row).join(', ')
  },
  givenRows(columns) {
    const values = Object.keys(columns).map((name, i) => `value ->> ${i} as "${name}"`)
    return `(select key as n, ${values.join(', ')} from json_each(@rows)) as given`
  },
  bindRows(columns, rows) {
    const names = Object.keys(columns)
    return { rows: JSON.stringify(rows.map((row) => names.map((name) => Reflect.get(row, name) ?? null))) }
  },
}

function setOf(cases: readonly string[]): string {
  const [only = '?'] = cases
  if (cases.length > 1) return `[${cases.join('')}]`
  return cases.length === 1 && /[*?[]/.test(only) ? `[${only}]` : only
}
