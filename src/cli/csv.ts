import { stringify } from 'csv-stringify/sync'
import { printableJson } from '../model/printable-json.ts'

/** One line of CSV (RFC 4180, every text quoted), harmless for spreadsheets: no cell begins a formula. */
export function csvLine(values: readonly unknown[]): string {
  const cells = values.map((value) => {
    if (value === null || value === undefined) return ''
    return typeof value === 'object' ? printableJson(value) : value
  })
  return stringify([cells], {
    quoted_string: true,
    escape_formulas: true,
    record_delimiter: '\r\n',
    cast: { boolean: String },
  })
}
