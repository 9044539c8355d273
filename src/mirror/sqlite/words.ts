import type { List, Words } from '../database.ts'

export const words: Words = {
  selectByKeys: ({ columns, table, key }) =>
    `select ${columns.join(', ')} from "${table}"
     where tenant_id = @tenantId and ${key} in (select value from json_each(@keys))`,
  isIn: (column) => `${column} in (select value from json_each(?))`,
  listOf: (values) => JSON.stringify(values) as unknown as List,
  indexedBy: (index) => `indexed by "${index}"`,
  integerOf: (text) => `cast(${text} as integer)`,
  // Its `like` ignores the case of ASCII letters.
  forLike: (column) => column,
  jsonArray: (values) => `json_array(${values.join(', ')})`,
  jsonMember: (json, member) => `${json} ->> ${typeof member === 'number' ? member : `'${member}'`}`,
  jsonWith: (json, member, text) => `json_set(${json}, '$.${member}', '${text}')`,
  rowsOf(rows, columns) {
    const row = `(${Array(columns).fill('?').join(', ')})`
    return Array(rows).fill(row).join(', ')
  },
  rowsFrom: null,
}
