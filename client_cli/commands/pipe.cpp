// SPDX-License-Identifier: Apache-2.0
// weft pipe: Y4M in, Y4M out, frame by frame, with the daemon there is or one of its own.
#include <algorithm>
#include <csignal>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "client/json.h"
#include "client/paths.h"
#include "client/stream.h"
#include "client_cli/command_line/filter_texts.h"
#include "client_cli/command_line/spec_flags.h"
#include "client_cli/commands/commands.h"
#include "client_cli/output/exit_codes.h"
#include "client_cli/output/text.h"
#include "client_cli/pipe/byte_stream.h"
#include "client_cli/pipe/pipe_ends.h"
#include "client_cli/pipe/pipe_textures.h"
#include "client_cli/pipe/y4m.h"
#include "options/chain.h"
#include "options/filters.h"
#include "options/values.h"
#include "options/visit.h"
#include "options/words.h"

namespace weft::cli {
namespace {

struct Pipe {
  std::string filters;
  SpecFlags colour;  // flags of frames
  SpecFlags settings;
  PipePaths paths;
  std::string fps;
  std::string max_late;
};

constexpr int kMostLate = 1'000'000'000;

const google::protobuf::FieldDescriptor& chain_of_stream() {
  return *options::chain_of(v1::OpenStream::descriptor());
}

Status fill_filters(const Pipe& pipe, v1::OpenStream& request) {
  RETURN_IF_ERROR(options::parse_chain(pipe.filters, request, chain_of_stream()));
  Status result;
  options::visit_options(
      request, "open",
      [&](google::protobuf::Message& holder, const options::Option& option, const std::string&) {
        if (option.path_kind() == v1::PATH_KIND_UNSPECIFIED || !options::is_set(holder, option) ||
            !result.ok())
          return;
        result = options::set_from_text(holder, option,
                                        client::absolute_path(options::format_value(holder, option)));
      });
  return result;
}

// `request` has the filters.
StatusOr<v1::OpenStream> make_request(const Pipe& pipe, const Y4mHeader& header, v1::OpenStream request) {
  RETURN_IF_ERROR(pipe.colour.fill(*request.mutable_colour()));
  if (std::find(header.extras.begin(), header.extras.end(), kY4mFullRange) != header.extras.end())
    request.mutable_colour()->set_is_full_range(true);
  RETURN_IF_ERROR(pipe.settings.fill(*request.mutable_settings()));
  *request.mutable_format() = header.format;
  *request.mutable_frame_rate() = header.rate;
  request.set_field_order(header.field_order);
  request.set_chroma_position(header.chroma_position);
  *request.mutable_sample_aspect() = parse_y4m_aspect(header.aspect);
  if (!pipe.fps.empty()) {
    ASSIGN_OR_RETURN(*request.mutable_frame_rate(), parse_frame_rate(pipe.fps));
  }
  if (request.settings().stream_class() == v1::STREAM_CLASS_REALTIME && request.frame_rate().numerator() == 0)
    return invalid_argument(
        "The input has no frame rate, which a realtime stream needs; give it with --fps.");
  if (request.settings().stream_class() != v1::STREAM_CLASS_REALTIME && !pipe.max_late.empty())
    return invalid_argument(
        "Only frames of a realtime stream are late, which --max-late ({}) counts; give --class realtime.",
        pipe.max_late);
  return request;
}

// --- Frames and pictures
// ------------------------------------------------------------------------------------

// Frame lines of an input with field flags for each frame, to be copied to pictures: one for each
// frame.
class FrameLines {
 public:
  void add(std::string line) {
    const std::lock_guard lock(mutex_);
    lines_.push_back(std::move(line));
  }
  std::string take() {
    const std::lock_guard lock(mutex_);
    std::string line = std::move(lines_.front());
    lines_.pop_front();
    return line;
  }

 private:
  std::mutex mutex_;
  std::deque<std::string> lines_;
};

struct Course {
  DescriptorReader& reader;
  const int output;
  const Y4mHeader frames;
  const Y4mHeader pictures;
  FrameLines lines;  // for mixed pictures
  Status mistake{};  // error of the input, after its last whole frame
};

// Pushes the next frame. OUT_OF_RANGE at the end of the input; other errors of the input are also
// kept in `course`.
Status push_frame(Course& course, client::FrameStream& stream) {
  const auto keep = [&](Status status) { return course.mistake = std::move(status); };
  const auto line = course.reader.read_line(kLongestY4mLine);
  if (line.status().code() == StatusCode::kOutOfRange) return line.status();
  if (!line.ok()) return keep(line.status());
  const auto facts = parse_y4m_frame(*line, course.frames.mixed);
  if (!facts.ok()) return keep(facts.status());
  ASSIGN_OR_RETURN(const std::span<std::byte> samples, stream.stage());
  if (const Status read = course.reader.read(samples); !read.ok()) return keep(read);
  if (course.pictures.mixed) course.lines.add(*line);
  return stream.push(*facts);
}

// Reads the input to its end, or to its last whole frame. OK: these frames were pushed.
Status push_frames(Course& course, client::FrameStream& stream) {
  Status pushed;
  while (pushed.ok()) pushed = push_frame(course, stream);
  const bool is_cut = !course.mistake.ok() && course.mistake.code() != StatusCode::kCancelled;
  return is_cut || pushed.code() == StatusCode::kOutOfRange ? stream.finish() : pushed;
}

Status write_pictures(Course& course, client::FrameStream& stream) {
  const std::string header = format_y4m_header(course.pictures, stream.opened().picture_rate());
  RETURN_IF_ERROR(write_whole(course.output, header, {}));
  Y4mTicks ticks(stream.opened());
  while (true) {
    ASSIGN_OR_RETURN(const std::optional<client::PulledPicture> picture, stream.pull());
    if (!picture.has_value()) return ok_status();
    const std::string line = course.pictures.mixed ? course.lines.take() : std::string(kY4mFrame);
    const int64_t frames = stream.opened().has_variable_rate() ? ticks.frames_of(picture->facts) : 1;
    for (int64_t i = 0; i < frames; i++)
      RETURN_IF_ERROR(write_whole(course.output, line + "\n", picture->samples));
  }
}

void print_report(const CommandContext& context, const client::FrameStream& stream) {
  const v1::StreamReport& report = stream.report();
  if (context.json) return write_error(client::to_json_answer(report) + "\n");
  const double seconds = seconds_of(report.wall_time());
  const auto ms = [](const google::protobuf::Duration& time) { return seconds_of(time) * 1000; };
  std::string line =
      fmt::format("{} of {} in {} ({:.2f} fps) on {}; latency {:.2f} ms, p99 {:.2f} ms",
                  format_count(report.pictures_out(), "picture"), format_count(report.frames_in(), "frame"),
                  format_duration(seconds), seconds > 0 ? double(report.pictures_out()) / seconds : 0,
                  stream.opened().device(), ms(report.latency_p50()), ms(report.latency_p99()));
  if (const int frames = stream.opened().frames_ahead(); frames > 0)
    line += fmt::format("; delay {}", format_count(frames, "frame"));
  if (const double deadline = ms(stream.opened().deadline()); deadline > 0) {
    line += fmt::format("; {} missed of {:.2f} ms", report.missed(), deadline);
    // Frames that come before their time wait, and none of them is late for that. Latencies are
    // known to a sixteenth.
    if (report.missed() == 0 && ms(report.latency_p50()) > deadline * 17 / 16)
      line += ", since the input came faster than its rate";
  }
  context.note(line + ".");
}

// The exit code of a stream that ended well.
int judge_lateness(const CommandContext& context, const client::FrameStream& stream,
                   std::optional<int> max_late) {
  const v1::StreamReport& report = stream.report();
  if (!max_late || report.late_frames() <= *max_late) return kExitDone;
  context.fail(deadline_exceeded("{} of {} were late, and --max-late allows {}.", report.late_frames(),
                                 format_count(report.frames_in(), "frame"), *max_late));
  return kExitLate;
}

int run(const CommandContext& context, const Pipe& pipe) {
  std::signal(SIGPIPE, SIG_IGN);
  std::optional<int> max_late;
  if (!pipe.max_late.empty()) {
    const StatusOr<int> parsed = parse_whole("--max-late", pipe.max_late, 0, kMostLate);
    if (!parsed.ok()) return context.fail_usage(parsed.status());
    max_late = *parsed;
  }
  v1::OpenStream filters;
  if (const Status filled = fill_filters(pipe, filters); !filled.ok()) return context.fail_usage(filled);
  const auto output = PipeFile::open_output(pipe.paths.output, pipe.paths.overwrite, "Video is");
  if (!output.ok()) return context.fail_usage(output.status());
  const auto input = PipeFile::open_input(pipe.paths.input, "y4m");
  if (!input.ok()) return context.fail_usage(input.status());

  DescriptorReader reader(input->get());
  const auto line = reader.read_line(kLongestY4mLine);
  const bool is_empty = line.status().code() == StatusCode::kOutOfRange;
  const auto header = line.ok()  ? parse_y4m_header(*line)
                      : is_empty ? invalid_argument("The input is empty; pipe y4m into it.")
                                 : StatusOr<Y4mHeader>(line.status());
  if (!header.ok()) {
    context.fail(header.status());
    return kExitJobFailed;
  }
  const auto request = make_request(pipe, *header, filters);
  if (!request.ok()) return context.fail_usage(request.status());
  auto server = StreamServer::find(context);
  if (server.status().code() == StatusCode::kCancelled) return kExitInterrupted;
  if (!server.ok()) return context.fail(server.status());
  const auto stream = server->open(*request);
  if (stream.status().code() == StatusCode::kCancelled) return kExitInterrupted;
  if (!stream.ok()) return context.fail(stream.status());
  Course course{
      reader, output->get(), *header, header_of_pictures(*header, *request, (*stream)->opened()), {}};
  const PipeEnds ends = run_both(
      server->signals(), **stream, reader, [&] { return push_frames(course, **stream); },
      [&] { return write_pictures(course, **stream); });
  const int code = report_pipe_end(context, ends);
  if (code != kExitDone || !ends.root().ok()) return code;
  print_report(context, **stream);
  if (!course.mistake.ok()) {
    context.fail(course.mistake);
    return kExitJobFailed;
  }
  return judge_lateness(context, **stream, max_late);
}

}  // namespace

void add_pipe(Command& root, CommandContext& context) {
  Command& command = root.add("pipe", "Filters a stream of frames: y4m in, y4m out; needs no daemon.");
  const auto state = std::make_shared<Pipe>();
  Argument& filters = command.word(kFiltersWord, state->filters, kFiltersHelp);
  filters.require().completed_by(Values::Kind::kChain);
  filters.values.chains = {&chain_of_stream()};
  state->paths.declare(command, "video in y4m");
  command.value("--fps", "RATE", state->fps,
                "Frame rate, such as 25, 29.97 or 30000/1001. Default: the input's.");
  command.value("--max-late", "FRAMES", state->max_late,
                "Frames of a realtime stream that may be late: with more, the command ends with exit code 7. "
                "Not given: any "
                "number.");
  state->colour.add(command, v1::FrameColour::descriptor(), "Colour");
  state->settings.add(command, v1::StreamSettings::descriptor(), "Stream");
  command.examples = fmt::format(
      "{}", fmt::join(v1::OpenStream::descriptor()->options().GetExtension(v1::stream).examples(), "\n"));
  command.run = [&context, state] { return run(context, *state); };
  add_pipe_textures(command, context);
}

}  // namespace weft::cli
