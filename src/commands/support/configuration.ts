import type { Command } from 'commander'
import { checks } from '../../checks/index.ts'
import { type LoadedSettings, type LoadOptions, loadSettings } from '../../config/load-settings.ts'
import type { Catalogue, Settings } from '../../config/settings.ts'
import { openStore } from '../../daemon/open-store.ts'
import type { Io } from '../../model/process/io.ts'
import { resources } from '../../resources/index.ts'
import type { Mirror } from '../../store/port.ts'

export const catalogue: Catalogue = { resources, checks }

/** `needs`: additional validation; none for a command that only reads the mirror. */
export function loadConfiguration(
  { env, cwd }: Io,
  command: Command,
  needs: Pick<LoadOptions, 'checkWeb' | 'strict' | 'needsSecrets' | 'syntaxOnly'> = {},
): LoadedSettings {
  const { config } = command.optsWithGlobals<{ config?: string }>()
  return loadSettings({ file: config, env, cwd, catalogue, needsSecrets: false, ...needs })
}

/** Verifies all of it (docs/operations.md#database-and-retention): a damaged index gives no error, but fewer findings. */
export async function openVerifiedMirror(settings: Settings, io: Io): Promise<Mirror> {
  const mirror = await openStore(settings, 'beside', io)
  try {
    await mirror.verify(io.stop)
    return mirror
  } catch (error) {
    await mirror[Symbol.asyncDispose]()
    throw error
  }
}
