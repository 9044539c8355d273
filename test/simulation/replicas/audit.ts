/** Tables of which only the owner of the tenant may change rows (docs/internals/decisions.md, fences). */
const exempt = ['leases', 'decisions', 'audited_writes']

/** Each transaction leaves the tenants whose rows it changed, and the tables. */
export const auditStatements: readonly string[] = [
  'create table audited_writes (transaction xid8, tenant_id bigint, relation text, primary key (transaction, tenant_id, relation))',
  `create function audit_write() returns trigger language plpgsql as $$
declare changed bigint;
begin
  if tg_table_name = 'tenants' then changed := new.id;
  elsif tg_op = 'DELETE' then changed := old.tenant_id;
  else changed := new.tenant_id;
  end if;
  insert into audited_writes values (pg_current_xact_id(), changed, tg_table_name) on conflict do nothing;
  return null;
end $$`,
  // New tenants belong to nobody yet.
  'create trigger audit_write after update on tenants for each row execute function audit_write()',
  `do $$
declare found record;
begin
  for found in select table_name as name from information_schema.columns
    where table_schema = 'public' and column_name = 'tenant_id'
    and table_name in (select table_name from information_schema.tables where table_type = 'BASE TABLE')
    and table_name not in (${exempt.map((name) => `'${name}'`).join(', ')})
  loop
    execute format('create trigger audit_write after insert or update or delete on %I
      for each row execute function audit_write()', found.name);
  end loop;
end $$`,
]

/** Tenants and tables that the last commit wrote, once, beside the present owner of a tenant. */
export const takeAudit = `with written as (delete from audited_writes returning tenant_id, relation)
  select w.tenant_id as tenant, string_agg(w.relation, ', ' order by w.relation) as relations, o.owner, o.epoch
  from written w left join leases o on o.tenant_id = ? group by 1, 3, 4 order by 1`
