import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { mutants } from './mutants.ts'
import { simulationMutants } from './simulation-mutants.ts'
import { webMutants } from './web-mutants.ts'

const root = resolve(import.meta.dirname, '../..')

it.each([...mutants, ...simulationMutants, ...webMutants])(
  'the place of the mistake stands once: $name',
  ({ file, find }) => {
    expect(readFileSync(join(root, file), 'utf8').split(find)).toHaveLength(2)
  },
)
