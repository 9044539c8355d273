import { printableJson } from '../model/printable-json.ts'

/** Turns items into the text of one JSON array, piece by piece. */
export async function* jsonArray(items: AsyncIterable<unknown>): AsyncIterable<string> {
  let separator = '[\n'
  for await (const item of items) {
    yield separator + printableJson(item)
    separator = ',\n'
  }
  yield separator === '[\n' ? '[]\n' : '\n]\n'
}
