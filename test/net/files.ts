import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { LifeRecord } from './life-record.ts'

const folder = import.meta.dirname
const linesFile = join(folder, 'lives.ndjson')

/** Lives of which the whole text is stored, too. */
export const toldLives: readonly number[] = [3, 45, 190, 207, 214, 225]

/** Texts by the name of their file, without `.txt`. */
export function readTexts(kind: 'lives' | 'outputs'): ReadonlyMap<string, string> {
  const path = join(folder, kind)
  const files = existsSync(path) ? readdirSync(path) : []
  return new Map(files.map((file) => [basename(file, '.txt'), readFileSync(join(path, file), 'utf8')]))
}

export function readLines(): ReadonlyMap<number, LifeRecord['line']> {
  const lines = existsSync(linesFile) ? readFileSync(linesFile, 'utf8').trimEnd().split('\n') : []
  return new Map(lines.map((line) => JSON.parse(line) as LifeRecord['line']).map((line) => [line.life, line]))
}

export function writeLives(records: readonly LifeRecord[]): void {
  const lines = new Map([...readLines(), ...records.map(({ line }) => [line.life, line] as const)])
  const sorted = [...lines.values()].toSorted((a, b) => a.life - b.life)
  writeFileSync(linesFile, sorted.map((line) => `${JSON.stringify(line)}\n`).join(''))
  const texts = new Map([...readTexts('lives'), ...records.map(({ line, text }) => [`${line.life}`, text] as const)])
  writeTexts('lives', new Map([...texts].filter(([life]) => toldLives.includes(Number(life)))))
}

/** Replaces all texts of a kind. */
export function writeTexts(kind: 'lives' | 'outputs', texts: ReadonlyMap<string, string>): void {
  const path = join(folder, kind)
  rmSync(path, { recursive: true, force: true })
  mkdirSync(path)
  for (const [name, text] of texts) writeFileSync(join(path, `${name}.txt`), text)
}

/** The parts of a life that differ from the stored line; empty when none does. */
export function lifeDifferences(
  { line }: Pick<LifeRecord, 'line'>,
  stored: LifeRecord['line'] | undefined,
): readonly string[] {
  if (stored === undefined) return [`life ${line.life}: not recorded`]
  return [...new Set([...Object.keys(stored), ...Object.keys(line)])]
    .filter((key) => line[key] !== stored[key])
    .map((key) => `life ${line.life}: ${key} was ${stored[key]}, is ${line[key]}`)
}

/** The texts that differ, each with the first line that does. */
export function textDifferences(
  texts: ReadonlyMap<string, string>,
  stored: ReadonlyMap<string, string>,
): readonly string[] {
  const names = [...new Set([...stored.keys(), ...texts.keys()])]
  return names.flatMap((name) => {
    const [now, before] = [texts.get(name)?.split('\n') ?? [], stored.get(name)?.split('\n') ?? []]
    const at = Array.from({ length: Math.max(now.length, before.length) }, (_, i) => i).find(
      (i) => now[i] !== before[i],
    )
    return at === undefined ? [] : [`${name}, line ${at + 1}:\n  was ${before[at]}\n  is  ${now[at]}`]
  })
}
