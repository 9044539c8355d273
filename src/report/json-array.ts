import { jsonArray as ofBatches } from '../model/text/json-array.ts'
import { batches } from './batches.ts'

/** Streams items as one JSON array. */
export function jsonArray(items: AsyncIterable<unknown>): AsyncIterable<string> {
  return ofBatches(batches(items))
}
