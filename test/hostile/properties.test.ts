import fc from 'fast-check'
import { expect, it } from 'vitest'
import { eraseLine } from '../../src/commands/support/io.ts'
import { createLog } from '../../src/commands/support/logger.ts'
import type { FindingView } from '../../src/model/finding.ts'
import { csvLine } from '../../src/model/text/csv.ts'
import { printable } from '../../src/model/text/printable.ts'
import { printableJson } from '../../src/model/text/printable-json.ts'
import { textTable } from '../../src/report/table.ts'
import { loadPage } from '../../src/web/page/load-page.ts'
import { renderPage } from '../../src/web/page/page.ts'
import { parseCsv } from '../commands/support/csv.ts'
import { finding } from '../web/support/scene.ts'
import { findingsFrom, sources, webOptions } from '../web/support/server.ts'
import { keys, texts } from './support/corpus.ts'
import { acting, actingIn, formula, tagsOf } from './support/reading.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: the only codes that the log itself may write
const color = /\u001b\[\d+m/g
const bits = [
  '<',
  '>',
  '"',
  "'",
  '&',
  '=',
  '\n',
  '\r',
  '\t',
  '\0',
  '\u001b',
  '\u009b',
  '\u202e',
  '\ud800',
  '</bdi>',
  ',',
]
const small = Object.values(texts).filter((text) => text.length < 2000)

/** Texts of every kind of character, with those that matter in them more often than chance would have it. */
const anyText = fc.oneof(
  fc.constantFrom(...small),
  fc
    .array(fc.oneof(fc.constantFrom(...bits), fc.string({ unit: 'binary', maxLength: 5 })), { maxLength: 12 })
    .map((all) => all.join('')),
)

it('shows any text without a character that acts, and a harmless one as it is', () => {
  fc.assert(
    fc.property(anyText, fc.integer({ min: 1, max: 50 }), (text, longest) => {
      const shown = printable(text)
      expect(acting.test(shown)).toBe(false)
      expect(shown.isWellFormed()).toBe(true)
      expect(printable(shown)).toBe(shown)
      if (!acting.test(text) && text.isWellFormed()) expect(shown).toBe(text)
      expect(Array.from(printable(text, longest)).length).toBeLessThanOrEqual(longest + 1)
    }),
    { numRuns: 500 },
  )
})

const anyJson = fc.jsonValue({ stringUnit: 'binary', maxDepth: 3 })
const anyObject = fc.dictionary(fc.oneof(anyText, fc.constantFrom(...keys)), fc.oneof(anyText, anyJson), {
  noNullPrototype: false,
  maxKeys: 5,
})

it('writes any JSON in one line without a character that acts, and it reads back as the same', () => {
  fc.assert(
    fc.property(fc.oneof(anyText, anyObject), (value) => {
      const written = printableJson(value)
      expect(acting.test(written)).toBe(false)
      expect(JSON.parse(written)).toEqual(JSON.parse(JSON.stringify(value)))
    }),
    { numRuns: 500 },
  )
})

it('writes any row of CSV so that it reads back, but for the apostrophe before a formula', () => {
  fc.assert(
    fc.property(fc.array(anyText, { minLength: 1, maxLength: 6 }), (cells) => {
      const [row = [], ...more] = parseCsv(csvLine(cells))
      expect(more).toEqual([])
      expect(row).toHaveLength(cells.length)
      row.forEach((cell, i) => {
        expect(cell).not.toMatch(formula)
        expect([cells[i], `'${cells[i]}`]).toContain(cell)
        if (!formula.test(cells[i] ?? '')) expect(cell).toBe(cells[i])
      })
    }),
    { numRuns: 500 },
  )
})

it('gives any rows a table of one line each', () => {
  const row = fc.tuple(anyText, anyText, anyText)
  fc.assert(
    fc.property(fc.array(row, { maxLength: 5 }), (rows) => {
      const lines = textTable(['A', 'B', 'C'], rows).split('\n')
      expect(lines).toHaveLength(rows.length + 1)
      for (const line of lines) expect(acting.test(line)).toBe(false)
    }),
    { numRuns: 200 },
  )
})

it.each([true, false])('logs any event on one line (on a terminal: %s)', async (isTTY) => {
  let written = ''
  const stderr = {
    isTTY,
    write(text: string) {
      written += text
      return true
    },
  }
  const log = await createLog({ ...io, stderr }, 'trace')
  fc.assert(
    fc.property(anyObject, anyText, (fields, text) => {
      written = ''
      log.warn({ text, fields, err: new Error(text) }, 'Something happened')
      const lines = written.trimEnd().split('\n')
      const own = isTTY ? written.slice(eraseLine.length) : written
      expect(actingIn(own.replaceAll(color, ''))).toBeNull()
      if (isTTY) return
      expect(lines).toHaveLength(1)
      expect((JSON.parse(written) as { text: string }).text).toBe(text)
    }),
    { numRuns: 200 },
  )
})

const io = {
  stdout: { write: () => true },
  env: {},
  cwd: '/',
  clock: { now: () => 0, monotonic: () => 0, sleep: async () => {} },
  random: () => 0.5,
  stop: new AbortController().signal,
  onReload: () => {},
}

it('gives a page the same tags and attributes whatever the findings and clients are called', async () => {
  const pageOf = async (text: string): Promise<string> => {
    const view: FindingView = finding({
      message: text,
      entity: { type: 'document-name', id: text },
      evidence: { [text]: text },
    })
    const secrets = async () => [{ clientId: 'x', name: text, role: text, own: false, expiresAt: 0 }]
    const options = webOptions({ sources: { ...sources, findings: findingsFrom([view]), secrets } })
    return (await Array.fromAsync(renderPage(await loadPage(options, true)))).join('')
  }
  const harmless = tagsOf(await pageOf('harmless'))
  await fc.assert(
    fc.asyncProperty(anyText, async (text) => {
      const page = await pageOf(text)
      expect(tagsOf(page)).toEqual(harmless)
      expect(actingIn(page)).toBeNull()
    }),
    { numRuns: 100 },
  )
})
