import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { allMutants } from './all-mutants.ts'

const root = resolve(import.meta.dirname, '../..')

it.each(allMutants)('the place of the mistake stands once: $name', ({ file, find }) => {
  expect(readFileSync(join(root, file), 'utf8').split(find)).toHaveLength(2)
})
