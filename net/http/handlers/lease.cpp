#include "net/http/handlers/lease.hpp"

#include "net/http/handlers/fields.hpp"
#include "net/http/handlers/json_text.hpp"
#include "net/http/handlers/json_writer.hpp"

namespace queen::net {

parsed<domain::extend_lease> parse_extend(const http_call& call) {
  auto body = read_object(call, true);
  if (!body.problem.empty())
    return plain_error(errc::bad_body, body.problem);
  fields in{body.document->root(), {}};
  domain::extend_lease out;
  out.tenant = call.tenant;
  if (!call.path.empty())
    out.lease_id = call.path[0];
  if (!is_utf8(out.lease_id))
    in.fail("the lease id is not UTF-8");
  if (auto seconds = in.optional_integer("seconds", 1, seconds_max))
    out.seconds = static_cast<uint32_t>(*seconds);
  if (in.failed())
    return plain_error(errc::bad_request, in.why().message);
  return out;
}

rendered render_extend(const domain::extend_lease& asked,
                       const domain::extend_reply& reply) {
  bool success = reply.renewed > 0;
  json_writer out;
  out.begin_object()
    .boolean("success", success)
    .text("leaseId", asked.lease_id)
    .number("renewed", reply.renewed)
    .time("newExpiresAt", success ? reply.expires_at : 0)
    .time("leaseExpiresAt", success ? reply.expires_at : 0);
  if (!success)
    out.text("error", reply.error.empty() ? "invalid or expired lease"
                                          : std::string_view{reply.error});
  out.end_object();
  return {200, out.take(), {}};
}

} // namespace queen::net
