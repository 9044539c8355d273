import { printableJson } from './printable-json.ts'

export async function* jsonArray(batches: AsyncIterable<readonly unknown[]>): AsyncGenerator<string> {
  let separator = '[\n'
  for await (const batch of batches) {
    if (batch.length === 0) continue
    yield separator + batch.map((element) => printableJson(element)).join(',\n')
    separator = ',\n'
  }
  yield separator === '[\n' ? '[]\n' : '\n]\n'
}
