import type { Io } from '../model/process/io.ts'
import { table } from '../report/formats.ts'
import type { Diagnosis, Level } from './diagnosis.ts'
import type { Enrolment } from './enrolment.ts'

type Marks = Readonly<Record<Level, string>>

const signs: Marks = { ok: '✓', warn: '!', fail: '✗' }
const letters: Marks = { ok: 'ok', warn: '!', fail: 'FAIL' }

/** UTF-8 or ASCII by the locale; without a locale ASCII on a terminal, else UTF-8. */
export function marksFor({ stdout, env }: Pick<Io, 'stdout' | 'env'>): Marks {
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find((value) => value !== undefined && value !== '')
  if (locale === undefined) return stdout.isTTY === true ? letters : signs
  return /utf-?8/i.test(locale) ? signs : letters
}

export function diagnosisTable(found: readonly Diagnosis[], marks: Marks): string {
  const withPermission = found.some(({ permission }) => permission !== null)
  const rows = found.map(({ level, subject, permission, sentence, advice }) => [
    marks[level],
    subject,
    ...(withPermission ? [permission ?? ''] : []),
    advice === null ? sentence : `${sentence}. ${advice}`,
  ])
  return table(['', 'WHAT', ...(withPermission ? ['PERMISSION'] : []), 'FOUND'], rows)
}

export function enrolmentTable({ enrolledWhen, assumed, policy, groups }: Enrolment): string {
  const demand = policy === null ? 'policy not read yet' : `policy ${policy ? 'on' : 'off'}`
  const rows = groups.map(({ state, mfaStatus, mfaAction, count, enrolled }) => [
    state,
    String(mfaStatus),
    String(mfaAction),
    String(count),
    enrolled ? 'yes' : 'no',
  ])
  return table(
    ['STATE', 'MFASTATUS', 'MFAACTION', 'USERS', `ENROLLED (${enrolledWhen}${assumed ? ', assumed' : ''}; ${demand})`],
    rows,
  )
}
