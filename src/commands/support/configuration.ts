import type { Command } from 'commander'
import { checks } from '../../checks/index.ts'
import type { Catalogue } from '../../config/catalogue.ts'
import { type LoadedSettings, type LoadOptions, loadSettings } from '../../config/load-settings.ts'
import { openStore } from '../../daemon/open-store.ts'
import { createViews } from '../../daemon/views.ts'
import type { Io } from '../../model/process/io.ts'

export const catalogue: Catalogue = { checks }

export function loadConfiguration(
  { env, cwd }: Io,
  command: Command,
  purpose: LoadOptions['purpose'] = 'read',
): LoadedSettings {
  const { config } = command.optsWithGlobals<{ config?: string }>()
  return loadSettings({ file: config, env, cwd, catalogue, purpose })
}

export type OpenMirror = Awaited<ReturnType<typeof openMirror>>

/**
 * What a command beside a running engine reads. Verifies all of a mirror that no running engine has verified
 * (docs/daily-work.md#database): a damaged index gives no error, but fewer findings.
 */
export async function openMirror(io: Io, command: Command) {
  const { settings, source } = loadConfiguration(io, command)
  const mirror = await openStore(settings, 'beside', io)
  const close = () => mirror[Symbol.asyncDispose]()
  try {
    if (!mirror.isVerified()) await mirror.verify(io.stop)
  } catch (error) {
    await close()
    throw error
  }
  const views = createViews(mirror, settings, io.clock)
  return { settings, source, mirror, views, now: io.clock.now(), [Symbol.asyncDispose]: close }
}
