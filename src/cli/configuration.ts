import type { Command } from 'commander'
import { type LoadedSettings, loadSettings } from '../config/load-settings.ts'
import { nearest } from '../config/nearest.ts'
import { UsageError } from '../model/errors.ts'
import { catalogue } from './catalogue.ts'
import type { Io } from './io.ts'

/**
 * Loads the configuration that `--config` or the environment names.
 *
 * @param judgeWeb whether the web configuration file is judged, too: only who serves needs to be able to read it.
 */
export function loadConfiguration({ env, cwd }: Io, command: Command, judgeWeb = false): LoadedSettings {
  const { config } = command.optsWithGlobals<{ config?: string }>()
  return loadSettings({ file: config, env, cwd, catalogue, judgeWeb })
}

/** Insists on one of the known words; the error names them all, and not what was given: that may be a secret. */
export function oneOf<const T extends string>(what: string, words: readonly T[], given: string): T {
  const found = words.find((word) => word === given)
  if (found !== undefined) return found
  const meant = nearest(given, words)
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`
  throw new UsageError(`Unknown ${what}: want one of ${words.join(', ')}${hint}`)
}
