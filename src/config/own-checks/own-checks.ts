import { z } from 'zod'
import { secondMs } from '../../model/durations.ts'
import type { Catalogue } from '../settings.ts'
import type { Context } from '../yaml/context.ts'
import { positiveNumber, text, wholeNumber } from '../yaml/leaves.ts'
import { readSection } from '../yaml/section.ts'
import type { OwnChecksSettings } from './own-check.ts'
import { parseChecks } from './parse-checks.ts'

const fields = {
  folder: text('want the path of a folder').nullish(),
  timeoutSeconds: positiveNumber(300).optional(),
  maxRows: wholeNumber(1, 100_000).optional(),
}

/** Reads `ownChecks` and the files of its folder; what is wrong with those makes checks that cannot be evaluated, no more. */
export function readOwnChecks(raw: unknown, { report, catalogue, readFolder }: Context): OwnChecksSettings {
  const { folder = null, timeoutSeconds = 10, maxRows = 10_000 } = readSection(fields, raw, ['ownChecks'], report)
  const limits = { folder, timeoutMs: timeoutSeconds * secondMs, maxRows }
  if (folder === null) return { ...limits, checks: [], incomplete: false }
  const builtIn = catalogue.checks.map(({ id }) => id)
  return { ...limits, ...parseChecks(readFolder(folder), folder, builtIn) }
}

/** The catalogue with the own checks in it: they are configured and waived like any other. */
export function withOwnChecks(catalogue: Catalogue, { checks, incomplete }: OwnChecksSettings): Catalogue {
  const own = checks.map(({ id }) => ({ id, options: z.strictObject({}) }))
  return { ...catalogue, checks: [...catalogue.checks, ...own], incomplete }
}
