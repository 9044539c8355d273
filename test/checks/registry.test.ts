import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { checks } from '../../src/checks/index.ts'
import { severities } from '../../src/model/severity.ts'

const listing = (folder: URL, suffix: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith(suffix))
    .map((name) => name.slice(0, -suffix.length))
    .sort()

const files = listing(new URL('../../src/checks/', import.meta.url), '.ts').filter(
  (name) => name !== 'index' && name !== 'frameworks',
)
const ids = checks.map(({ id }) => id)

it('lists every file of the catalogue, in alphabetical order, each under its own id', () => {
  expect(ids).toEqual(files)
})

it('no check has a material fact that changes with time', () => {
  const named = checks.flatMap((check) => check.material ?? [])
  expect(named.length).toBeGreaterThan(checks.length)
  expect(named.filter((name) => /(^|\.)(requestId|readAt|rule|threshold\w*|days\w*)$/.test(name))).toEqual([])
})

it.each(checks)('orders the severities of $id, mildest first, and names each once', (check) => {
  const order = severities.filter((severity) => check.severities.includes(severity))
  expect(check.severities).toEqual(order)
  expect(order).not.toHaveLength(0)
})

it.each(checks)('has a default for every option of $id, and keeps read options as they are', (check) => {
  const read = check.options.parse({})
  expect(check.options.parse(read)).toEqual(read)
})

it.each(checks)('refuses an option that $id does not know', (check) => {
  expect(check.options).toBeInstanceOf(z.ZodObject)
  expect(check.options.safeParse({ dayz: 3 }).success).toBe(false)
})
