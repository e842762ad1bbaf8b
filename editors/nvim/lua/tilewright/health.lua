-- :checkhealth tilewright

local M = {}

function M.check()
  local health = vim.health or require("health")
  local ok, problem = health.ok or health.report_ok, health.error or health.report_error
  local program = require("tilewright").program()
  if vim.fn.executable(program) == 0 then
    return problem("`" .. program .. "` is not on PATH; vim.g.tilewright.server may name it")
  end
  ok(vim.trim(vim.fn.system({ program, "--version" })) .. " (" .. vim.fn.exepath(program) .. ")")
end

return M
