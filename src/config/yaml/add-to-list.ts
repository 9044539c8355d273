import { isMap, isScalar, isSeq, type Pair, parseDocument, stringify } from 'yaml'

/**
 * Adds an item to the list at a top-level key and changes nothing else of the text. The caller must parse the result,
 * because not every notation can be extended.
 *
 * @returns null when the file or the list is written in flow style (`[ … ]`) with content.
 */
export function addToList(source: string, key: string, item: object): string | null {
  const { contents } = parseDocument(source)
  const lineEnd = source.includes('\r\n') ? '\r\n' : '\n'
  const itemText = (indent: string) => indented(stringify([item], { lineWidth: 0 }), indent, lineEnd)
  if (contents !== null && (!isMap(contents) || contents.flow === true)) return null
  const pair = contents?.items.find((one) => isScalar(one.key) && one.key.value === key)
  if (pair === undefined) {
    const before = source === '' || source.endsWith('\n') ? source : `${source}${lineEnd}`
    return `${before}${key}:${lineEnd}${itemText('  ')}`
  }
  const { value } = pair as Pair
  if (isSeq(value) && value.items.length > 0) {
    if (value.flow === true || !value.range) return null
    const [first, , end] = value.range
    const lineBegin = source.lastIndexOf('\n', first - 1) + 1
    return inserted(source, end, itemText(' '.repeat(first - lineBegin)), lineEnd)
  }
  const isEmpty = isSeq(value) || value === null || (isScalar(value) && value.value === null)
  const range = isSeq(value) || isScalar(value) ? value.range : null
  if (!isEmpty || !range) return null
  const [first, valueEnd] = range
  const restAt = source.indexOf('\n', valueEnd) + 1 || source.length
  const comment = source.slice(valueEnd, restAt).trim()
  const head = `${source.slice(0, first).trimEnd()}${comment === '' ? '' : ` ${comment}`}${lineEnd}`
  return `${head}${itemText('  ')}${source.slice(restAt)}`
}

function inserted(source: string, at: number, text: string, lineEnd: string): string {
  const before = source.slice(0, at)
  return `${before}${before.endsWith('\n') ? '' : lineEnd}${text}${source.slice(at)}`
}

function indented(text: string, indent: string, lineEnd: string): string {
  return text.replaceAll(/^(?=.)/gm, indent).replaceAll('\n', lineEnd)
}
