import type { KeyPath } from '../yaml/key-path.ts'
import type { WebContext } from './web-context.ts'

const section = 'tls_server_config'

export interface PemSource {
  readonly text: string
  /** The key it came from, for what is wrong with it. */
  readonly path: KeyPath
}

/** The PEM text that stands under `name`, or in the file under `name_file`; undefined when there is none. */
export function readPem(
  written: Readonly<Partial<Record<string, unknown>>>,
  name: 'cert' | 'key' | 'client_ca',
  { report, read }: WebContext,
): PemSource | undefined {
  const [inline, file] = [written[name], written[`${name}_file`]]
  if (typeof inline === 'string' && typeof file === 'string') {
    report.say([section], `names 2 sources (${name}, ${name}_file); want exactly one of them`)
    return undefined
  }
  if (typeof inline === 'string') return { text: inline, path: [section, name] }
  if (typeof file !== 'string') return undefined
  const path = [section, `${name}_file`]
  // Before it is named as a file that is not there: it may be the key itself.
  if (/-----BEGIN|\n/.test(file)) {
    report.say(path, `is a text where the path of a file belongs; want the PEM text under \`${name}\``)
    return undefined
  }
  const found = read(file)
  if ('text' in found) return { text: found.text, path }
  report.say(path, `names the file \`${file}\`: ${found.why}`)
  return undefined
}
