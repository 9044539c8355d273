import type { Report } from '../yaml/report.ts'
import { isMapOrEmpty, readMap } from '../yaml/section.ts'

const key = 'basic_auth_users'

/** Version, cost, salt and hash. A cost above 18 takes half a minute for every wrong password. */
const bcryptHash = /^\$2[aby]\$(0[4-9]|1[0-8])\$[./A-Za-z\d]{53}$/

/** Reads `basic_auth_users`: a bcrypt hash by user name. */
export function readUsers(raw: unknown, report: Report): ReadonlyMap<string, string> {
  const users = new Map<string, string>()
  const written = Object.entries(readMap(raw, [key], report))
  if (isMapOrEmpty(raw) && raw !== undefined && written.length === 0)
    report.say([key], 'has no user, so that everybody would be let in; want a user, or leave the key out')
  for (const [name, hash] of written) {
    // A line pasted from a password file is such a name, so it is not repeated.
    if (!/^[^:\p{Cc}]{1,128}$/u.test(name)) report.say([key], 'has a user name that cannot be one (a colon, or empty)')
    else if (typeof hash === 'string' && bcryptHash.test(hash)) users.set(name, hash)
    else report.wrong([key, name], hash, 'want a bcrypt hash of cost 4 to 18, as `htpasswd -nBC 10 ""` prints it')
  }
  return users
}
