import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { FindingView } from '../../src/model/finding.ts'
import { csvLine } from '../../src/model/text/formats.ts'
import { printable } from '../../src/model/text/printable.ts'
import { loadPage } from '../../src/web/page/load-page.ts'
import { renderPage } from '../../src/web/page/page.ts'
import { parseCsv } from '../commands/support/csv.ts'
import { finding } from '../web/support/scene.ts'
import { findingsFrom, sources, webOptions } from '../web/support/server.ts'
import { texts } from './support/corpus.ts'
import { acting, actingIn, formula, tagsOf } from './support/reading.ts'

const bits = [...'<>"\'&=+@,\n\r\t\0\u001b\u009b\u202e\ufeff\u3000\u2060\uff1d', '\ud800', '</bdi>']
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

it('gives a page the same tags and attributes whatever the findings and clients are called', async () => {
  const pageOf = async (text: string): Promise<string> => {
    const view: FindingView = finding({
      message: text,
      entity: { type: 'document-name', id: text },
      evidence: { [text]: text },
    })
    const secrets = async () => [{ clientId: 'x', name: text, role: text, own: false, expiresAt: 0 }]
    const options = webOptions({ sources: { ...sources, findings: findingsFrom([view]), secrets } })
    const sync = { token: 'x', lastOf: () => undefined }
    return (await Array.fromAsync(renderPage(await loadPage(options, true, {}, sync)))).join('')
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
