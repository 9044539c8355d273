import { createHash } from 'node:crypto'
import { presentSchema } from './present-schema.ts'
import { tables } from './schema.ts'

/** Triggers that do the same as SQLite's temporary triggers. */
export function triggerStatements(): readonly string[] {
  return keepRows
}

/** Bits of `tgtype`. */
const typeBits = { row: 1, before: 2, insert: 4, delete: 8, update: 16, truncate: 32 } as const

/** When a trigger fires, as `firesWhen` reads it from the server: `tgtype`, the columns in order, whether it has a condition. */
function whenOf(definition: string): string {
  const [, timing = '', events = '', rest = ''] =
    /(before|after) (.*?) on "?\w+"?\s+(for each.*)/s.exec(definition) ?? []
  const [words, columns] = [[timing], [] as string[]]
  for (const event of events.split(' or ')) {
    const [word = '', names = ''] = event.split(' of ')
    words.push(word)
    columns.push(...names.split(', ').map((name) => name.replaceAll('"', '')))
  }
  if (rest.startsWith('for each row')) words.push('row')
  const type = words.reduce((sum, word) => sum + (typeBits[word as keyof typeof typeBits] ?? 0), 0)
  return `${type} ${columns.filter(Boolean).sort().join(',')} ${/\swhen \(/.test(rest)}`
}

const firesWhen = `t.tgtype, ' ', (select string_agg(a.attname, ',' order by a.attname collate "C") from pg_attribute a
  where a.attrelid = t.tgrelid and a.attnum = any (t.tgattr)), ' ', case when t.tgqual is null then 'false' else 'true' end`

/** Each trigger by table, name and function, with a digest of the function and when it fires. */
function triggerLines(): readonly string[] {
  const texts = triggerStatements()
  const bodies = new Map(
    texts.flatMap((text) => {
      const [, name = '', body = ''] = /^create function (\w+)[^$]*\$\$(.*)\$\$$/s.exec(text) ?? []
      return name === '' ? [] : [[name, createHash('md5').update(body).digest('hex')]]
    }),
  )
  return texts.flatMap((text) => {
    const [, trigger, table, name = ''] =
      /^create trigger (\w+) .*? on "?(\w+)"?\s.*execute function (\w+)/s.exec(text) ?? []
    return name === '' ? [] : [`${table} ${trigger} ${name} ${bodies.get(name)} ${whenOf(text)}`]
  })
}

export interface Triggers {
  /** Number of triggers that are missing, do not fire or were changed. */
  readonly lost: number
  /** A text that differs after each change of a trigger or its function, even if the change was undone. */
  readonly versions: string
}

/** Query for `Triggers`. */
export function triggerFacts(): string {
  const lines = triggerLines().map((line) => `'${line}'`)
  return `select ${lines.length} - count(*) as lost,
    coalesce(md5(string_agg(concat(t.xmin, ' ', p.xmin), ',' order by t.oid)), '') as versions
    from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_proc p on p.oid = t.tgfoid
    where c.relnamespace = ${presentSchema} and t.tgenabled in ('O', 'A')
    and concat(c.relname, ' ', t.tgname, ' ', p.proname, ' ', md5(p.prosrc), ' ', ${firesWhen}) in (${lines.join(', ')})`
}

export const enableTriggers = 'switch them on with "alter table … enable trigger user"'

/** Name of the trigger on every table. */
export const keepsRows = 'tenantwatch_keeps_rows'

/** Refuses `truncate`, for which no row trigger fires: counts, history and tombstones would be lost. */
const keepRows = [
  `create function tenantwatch_refuse_truncate() returns trigger language plpgsql as $$
begin
  raise exception 'Table "%" of tenantwatch cannot be truncated; erase a tenant with "tenantwatch purge TENANT"',
    tg_table_name;
end $$`,
  ...Object.keys(tables).map(
    (name) => `create trigger ${keepsRows} before truncate on "${name}"
  for each statement execute function tenantwatch_refuse_truncate()`,
  ),
]

/** Drops the triggers with their functions. */
export const dropTriggers = `do $$
declare found record;
begin
  for found in select t.tgname, t.tgrelid::regclass as on_table from pg_trigger t
    join pg_class c on c.oid = t.tgrelid
    where c.relnamespace = quote_ident(current_schema())::regnamespace and t.tgname like 'tenantwatch\\_%'
  loop
    execute format('drop trigger %I on %s', found.tgname, found.on_table);
  end loop;
  for found in select oid::regprocedure as function from pg_proc
    where pronamespace = quote_ident(current_schema())::regnamespace and proname like 'tenantwatch\\_%'
  loop
    execute format('drop function %s', found.function);
  end loop;
end $$`
