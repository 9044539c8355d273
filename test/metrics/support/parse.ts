export interface ParsedSeries {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** Reads an exposition by the letter of the text format; throws on anything that is not of it. */
export function parseExposition(text: string): readonly ParsedSeries[] {
  if (!text.endsWith('\n')) throw new Error('The last line must end with a line feed')
  return text
    .slice(0, -1)
    .split('\n')
    .filter((line) => !line.startsWith('# '))
    .map(parseSeries)
}

function parseSeries(line: string): ParsedSeries {
  const name = /^[a-zA-Z_:][a-zA-Z0-9_:]*/.exec(line)?.[0]
  if (name === undefined) throw new Error(`No metric name: ${line}`)
  let rest = line.slice(name.length)
  const labels: Record<string, string> = {}
  if (rest.startsWith('{')) {
    rest = rest.slice(1)
    while (!rest.startsWith('}')) {
      const match = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)",?/.exec(rest)
      if (match === null) throw new Error(`No label: ${line}`)
      const [whole, label = '', escaped = ''] = match
      if (label in labels) throw new Error(`Label twice: ${line}`)
      labels[label] = escaped.replace(/\\(.)/g, (_, char) => (char === 'n' ? '\n' : char))
      rest = rest.slice(whole.length)
    }
    rest = rest.slice(1)
  }
  if (!/^ (\S+)$/.test(rest)) throw new Error(`No single value: ${line}`)
  const word = rest.slice(1)
  const value = word === '+Inf' ? Number.POSITIVE_INFINITY : word === '-Inf' ? Number.NEGATIVE_INFINITY : Number(word)
  if (Number.isNaN(value)) throw new Error(`Not a number: ${line}`)
  return { name, labels, value }
}

/** The values of a family by the labels given; undefined where there is no such series. */
export function valueIn(text: string, name: string, labels: Readonly<Record<string, string>> = {}): number | undefined {
  const found = parseExposition(text).filter(
    (series) =>
      series.name === name && Object.entries(labels).every(([label, value]) => series.labels[label] === value),
  )
  if (found.length > 1) throw new Error(`${name} with ${JSON.stringify(labels)} is ${found.length} series`)
  return found[0]?.value
}

/** All series of a family. */
export function seriesOf(text: string, name: string): readonly ParsedSeries[] {
  return parseExposition(text).filter((series) => series.name === name)
}
