import { live } from './lives.ts'
const [seed, resource, text, ...more] = process.argv.slice(2)
let last = 0
for await (const r of live([Number(seed)], { steps: 48, faults: true, look: async ({ step, machine, now }) => {
  const rows = machine.query(`select id, mode, datetime(started_at/1000,'unixepoch') as at, outcome, reason, substr(message,1,150) as message, pages, created, updated, removed, quarantined from runs where resource = ? and id > ? order by id`, resource, last)
  for (const row of rows) { last = Number(row['id']); console.log(step, JSON.stringify(row)) }
  const rec = machine.query(`select coalesce(body ->> 'createdAt','') as c, body ->> 'secretExpirationDate' as s, body ->> 'roleName' as r, key, removed_at, missing_since, absent, accepted, datetime(removed_at/1000,'unixepoch') as rem, length(body) as b, problem from records where resource = ? and (${text})`, resource)
  console.log(step, new Date(now).toISOString(), JSON.stringify(rec))
} })) { for (const v of r.violations) console.log(JSON.stringify(v)); console.log([...r.faults].join(' ')) }
