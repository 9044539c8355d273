import type { AcceptedHold } from '../../evaluate/decisions.ts'
import { effectOf, holdAdvice, listsRecords, remedyOf } from '../../model/hold-remedy.ts'
import { type Io, print } from '../../model/process/io.ts'
import { printable } from '../../model/text/printable.ts'
import type { Next } from '../../report/findings-notes.ts'
import { table } from '../../report/formats.ts'
import { type Terminal, terminalOf, wrapLine } from '../../report/terminal.ts'
import type { HoldRow } from '../../store/port.ts'
import { purposeLines } from './next-command.ts'

interface Listed {
  readonly holds: readonly HoldRow[]
  readonly acceptances: ReadonlyMap<string, Pick<AcceptedHold, 'appliedAt'>>
  readonly next: Next
}

/** One hold per line. A terminal also shows a heading, and cause, effect and advice below each line. */
export function listHolds(io: Io, { holds, acceptances, next }: Listed): void {
  if (holds.length === 0) {
    io.stderr.write('No holds\n')
    return
  }
  const rows = holds.map(({ id, tenant, resource, reason, count }) => {
    return [id, tenant, resource, reason, String(count), acceptances.has(id) ? 'accepted' : '']
  })
  const terminal = terminalOf(io)
  if (terminal === null) {
    for (const row of rows) print(io, row.join(' ').trimEnd())
    return
  }
  const [heading = '', ...lines] = table(['ID', 'TENANT', 'RESOURCE', 'REASON', 'COUNT', 'STATE'], rows).split('\n')
  print(io, heading)
  for (const [at, hold] of holds.entries()) {
    print(io, lines[at] ?? '')
    for (const note of notesOf(hold, acceptances.get(hold.id), next)) print(io, indented(note, terminal))
  }
}

/** A sentence, or the purpose of a command and the command. */
type Note = string | readonly [string, string]

function notesOf(hold: HoldRow, acceptance: Pick<AcceptedHold, 'appliedAt'> | undefined, next: Next): readonly Note[] {
  const { id, count, message, reason } = hold
  if (acceptance !== undefined) {
    const then =
      acceptance.appliedAt === null ? 'the next run applies it' : 'the line disappears when that has taken effect'
    return [`${message}.`, `Accepted; ${then}.`]
  }
  const remedy = remedyOf(hold)
  if (remedy !== null) return [`${message}.`, `It cannot be accepted. ${remedy}.`]
  return [
    `${message}.`,
    `${holdAdvice(hold)}.`,
    `${effectOf(hold)}.`,
    ...(listsRecords(reason) ? [['List the records it would remove', next(`accept ${id} --list`)] as const] : []),
    ['Accept it with', next(`accept ${id} --count ${count} --reason TEXT`)],
  ]
}

function indented(note: Note, terminal: Terminal): string {
  if (typeof note === 'string') return wrapLine(`  ${printable(note)}`, terminal)
  const [purpose, command] = note
  return purposeLines(purpose, command, terminal, '  ')
}
