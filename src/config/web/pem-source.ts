import type { KeyPath } from '../yaml/key-path.ts'
import type { WebContext } from './web-context.ts'

const section = 'tls_server_config'

export interface PemSource {
  readonly text: string
  readonly path: KeyPath
}

/** The PEM text of `name`, or of the file in `name_file`; undefined when there is none. */
export function readPem(
  written: Readonly<Partial<Record<string, unknown>>>,
  name: 'cert' | 'key' | 'client_ca',
  { report, read }: WebContext,
): PemSource | undefined {
  const [inline, file] = [written[name], written[`${name}_file`]]
  if (typeof inline === 'string' && typeof file === 'string') {
    report.problem([section], `names 2 sources (${name}, ${name}_file); want exactly one of them`)
    return undefined
  }
  if (typeof inline === 'string') return { text: inline, path: [section, name] }
  if (typeof file !== 'string') return undefined
  const path = [section, `${name}_file`]
  // Checked before the file is named in a message, because it may be the key itself.
  if (/-----BEGIN|\n/.test(file)) {
    report.problem(path, `is a text instead of the path of a file; want the PEM text under \`${name}\``)
    return undefined
  }
  const found = read(file)
  if ('text' in found) return { text: found.text, path }
  report.problem(path, `names the file \`${file}\`: ${found.why}`)
  return undefined
}
