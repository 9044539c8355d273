import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { decoderMutants } from './decoder-mutants.ts'
import { mutants } from './mutants.ts'
import { simulationMutants } from './simulation-mutants.ts'

const root = resolve(import.meta.dirname, '../..')

it.each([...mutants, ...decoderMutants, ...simulationMutants])(
  'the place of the mistake stands once: $name',
  ({ file, find }) => {
    expect(readFileSync(join(root, file), 'utf8').split(find)).toHaveLength(2)
  },
)
