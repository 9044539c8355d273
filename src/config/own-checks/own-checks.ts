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

/** Reads `ownChecks` and the files of its folder. An invalid file becomes a check that cannot be evaluated, not a problem of the configuration. */
export function readOwnChecks(raw: unknown, { report, catalogue, readFolder }: Context): OwnChecksSettings {
  const { folder = null, timeoutSeconds = 10, maxRows = 10_000 } = readSection(fields, raw, ['ownChecks'], report)
  const limits = { folder, timeoutMs: timeoutSeconds * secondMs, maxRows }
  if (folder === null) return { ...limits, checks: [], incomplete: false }
  const builtIn = catalogue.checks.map(({ id }) => id)
  return { ...limits, ...parseChecks(readFolder(folder), folder, builtIn) }
}

/** Adds the own checks to the catalogue, so that they can be configured and waived. */
export function withOwnChecks(catalogue: Catalogue, { checks, incomplete }: OwnChecksSettings): Catalogue {
  const own = checks.map(({ id }) => ({ id, options: z.strictObject({}) }))
  return { ...catalogue, checks: [...catalogue.checks, ...own], incomplete }
}
