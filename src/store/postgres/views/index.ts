import { ofRecords } from '../../history/changes.ts'
import { checkView } from './check-view.ts'
import { findingView, historyView } from './finding-views.ts'
import { recordViews } from './record-views.ts'
import { syncView } from './sync-view.ts'
import { instant, type SqlView } from './view.ts'

/** In the order of creation: a view only reads earlier ones. */
export const sqlViews: readonly SqlView[] = [...recordViews, syncView, checkView, findingView, historyView]

/** Creates the views with the grants that they had before `dropViews`. */
export function viewStatements(): readonly string[] {
  return [...sqlViews.map(creation), indexOfHistory, grantAgain]
}

const setting = 'tenantwatch.grants'

/** Drops the views; keeps their grants for the rest of the transaction. */
export const dropViews = `do $$
declare found record;
begin
  perform set_config('${setting}', coalesce((select json_agg(json_build_object('view', c.relname,
      'role', case a.grantee when 0 then 'public' else a.grantee::regrole::text end))
    from pg_class c cross join aclexplode(c.relacl) a
    where c.relnamespace = quote_ident(current_schema())::regnamespace and c.relkind = 'v' and c.relname like 'tenantwatch\\_%'
      and a.privilege_type = 'SELECT' and a.grantee <> c.relowner)::text, '[]'), true);
  for found in select relname from pg_class
    where relnamespace = quote_ident(current_schema())::regnamespace and relkind = 'v' and relname like 'tenantwatch\\_%' order by oid desc
  loop
    execute format('drop view %I', found.relname);
  end loop;
end $$`

function creation({ name, columns, from, excludesRows }: SqlView): string {
  const barrier = excludesRows === true ? ' with (security_barrier)' : ''
  const list = columns.map((column) => `  ${column.sql} as "${column.name}"`).join(',\n')
  return `create view ${name}${barrier} as select\n${list}\nfrom ${from}`
}

/** For queries of a period of `tenantwatch_history`. */
const indexOfHistory = `create index if not exists events_instant on events (${instant('at')}) where ${ofRecords}`

const grantAgain = `do $$
declare found record;
begin
  for found in select g ->> 'view' as view, g ->> 'role' as role from json_array_elements(current_setting('${setting}')::json) g
    where to_regclass(format('%I', g ->> 'view')) is not null
  loop
    execute format('grant select on %I to %s', found.view, found.role);
  end loop;
end $$`
