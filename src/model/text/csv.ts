import { stringify } from 'csv-stringify/sync'
import { printableJson } from './printable.ts'

/** Characters that spreadsheets skip before the first sign of a formula: white space, controls, marks without width. */
const hiddenFormula = /^[\s\p{Cc}\p{Cf}\p{Z}]+[=+\-@\uff1d\uff0b\uff0d\uff20]/u

/** One line of CSV (RFC 4180, every text quoted). A cell that would start a formula is escaped. */
export function csvLine(values: readonly unknown[]): string {
  const cells = values.map((value) => {
    if (value === null || value === undefined) return ''
    if (typeof value === 'string' && hiddenFormula.test(value)) return `'${value}`
    return typeof value === 'object' ? printableJson(value) : value
  })
  return stringify([cells], {
    quoted_string: true,
    escape_formulas: true,
    record_delimiter: '\r\n',
    cast: { boolean: String },
  })
}
