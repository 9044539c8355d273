import { expect, it } from 'vitest'
import { lifeDifferences, readLines, readTexts, toldLives } from './files.ts'
import { makeGoldens } from './golden.ts'
import { recordLives } from './life-record.ts'

/** A change that is meant to be seen is recorded in the same commit. */
const advice = 'Meant to be seen? "npm run test:net -- --write" records it'

it.each(toldLives)('lives life %i as recorded', async (life) => {
  for await (const record of recordLives([life])) {
    expect(record.text, advice).toBe(readTexts('lives').get(`${life}`))
    expect(lifeDifferences(record, readLines().get(life)), advice).toEqual([])
  }
})

it('prints reports, lists and exports as recorded', async () => {
  expect(Object.fromEntries(await makeGoldens()), advice).toEqual(Object.fromEntries(readTexts('outputs')))
})

it('has each life on record', () => {
  const lives = [...readLines().keys()]
  expect(lives).toEqual(lives.map((_, i) => i + 1))
})
