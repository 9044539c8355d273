import type { Command } from 'commander'
import { checks } from '../../checks/index.ts'
import { type LoadedSettings, type LoadOptions, loadSettings } from '../../config/load-settings.ts'
import type { Catalogue } from '../../config/settings.ts'
import { nearest } from '../../config/yaml/nearest.ts'
import { UsageError } from '../../model/errors.ts'
import type { Io } from '../../model/process/io.ts'
import { resources } from '../../resources/index.ts'

/** Resources and checks that the configuration refers to. */
export const catalogue: Catalogue = { resources, checks }

/**
 * Loads the configuration that `--config` or the environment names.
 *
 * @param needs additional validation; none for a command that only reads the mirror.
 */
export function loadConfiguration(
  { env, cwd }: Io,
  command: Command,
  needs: Pick<LoadOptions, 'checkWeb' | 'diagnoseSecrets' | 'needsSecrets'> = {},
): LoadedSettings {
  const { config } = command.optsWithGlobals<{ config?: string }>()
  return loadSettings({ file: config, env, cwd, catalogue, needsSecrets: false, ...needs })
}

/** Validates a word. The error lists the known words and does not repeat the given one, which may be a secret. */
export function oneOf<const T extends string>(what: string, words: readonly T[], given: string): T {
  const found = words.find((word) => word === given)
  if (found !== undefined) return found
  const meant = nearest(given, words)
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`
  throw new UsageError(`Unknown ${what}: want one of ${words.join(', ')}${hint}`)
}
