/** Condition that `column` is one of the values bound as `listOf`. */
export const isIn = (column: string) => `${column} in (select value from json_each(?))`

export const listOf = (values: readonly unknown[]) => JSON.stringify(values)

export const indexedBy = (index: string) => `indexed by "${index}"`

export const jsonArray = (values: readonly string[]) => `json_array(${values.join(', ')})`

/** Member of an array by its number, or of an object by its name. */
export const jsonMember = (json: string, member: number | string) =>
  `${json} ->> ${typeof member === 'number' ? member : `'${member}'`}`

export const jsonWith = (json: string, member: string, text: string) => `json_set(${json}, '$.${member}', '${text}')`

/** Rows of as many parameters as `columns`, for `values` and `in`. */
export function rowsOf(rows: number, columns: number): string {
  const row = `(${Array(columns).fill('?').join(', ')})`
  return Array(rows).fill(row).join(', ')
}
