import { jsonArray as ofBatches } from '../model/text/json-array.ts'
import { batches } from './batches.ts'

/** Turns items into the text of one JSON array, piece by piece. */
export function jsonArray(items: AsyncIterable<unknown>): AsyncIterable<string> {
  return ofBatches(batches(items))
}
