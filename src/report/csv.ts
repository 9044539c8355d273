import { stringify } from 'csv-stringify/sync'
import { printableJson } from '../model/text/printable-json.ts'

/** What spreadsheets skip before the sign that begins a formula: white space, controls and marks without a width. */
const hiddenFormula = /^[\s\p{Cc}\p{Cf}\p{Z}]+[=+\-@\uff1d\uff0b\uff0d\uff20]/u

/** One line of CSV (RFC 4180, every text quoted), harmless for spreadsheets: no cell begins a formula. */
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
