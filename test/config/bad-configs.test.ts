import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { resourceNames } from '../../src/model/resource-names.ts'
import { canary, load, problemsOf } from './load.ts'

const folder = new URL('../bad-configs/', import.meta.url)
const names = readdirSync(folder)
const cases = names.filter((name) => name.endsWith('.yaml'))
const textOf = (name: string) => readFileSync(new URL(name, folder), 'utf8')
const expected = (name: string) =>
  textOf(name.replace('.yaml', '.txt')).replace('(every resource)', resourceNames.join(', '))
const env = { ACME_TOKEN: canary, GLOBEX_TOKEN: canary, EMPTY_TOKEN: '' }

it('keeps the expected sentences beside every bad configuration', () => {
  expect(names.filter((name) => name.endsWith('.txt'))).toEqual(cases.map((name) => name.replace('.yaml', '.txt')))
})

it.each(cases)('reports exactly the problems of %s', (name) => {
  const files = { [name]: textOf(name), 'token.txt': canary }
  const problems = problemsOf(() => load(files, env, name))
  expect(problems.join('\n')).not.toContain(canary)
  expect(`${problems.join('\n')}\n`).toBe(expected(name))
})
