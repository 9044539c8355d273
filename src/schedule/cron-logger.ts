import type { Logger } from 'node-cron'
import type { Log } from '../model/log.ts'

/** Sends what node-cron has to say into our log; on its own it writes coloured text to the console. */
export function cronLogger(log: Log): Logger {
  const fields = (message: string | Error, error?: Error) => ({ cron: String(message), ...(error && { err: error }) })
  return {
    debug: (message, error) => log.debug(fields(message, error), 'Cron note'),
    info: (message) => log.debug(fields(message), 'Cron note'),
    warn: (message) => log.warn(fields(message), 'Cron warning'),
    error: (message, error) => log.error(fields(message, error), 'Cron error'),
  }
}
