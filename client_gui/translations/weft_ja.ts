<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="ja">
<context>
    <name>Age</name>
    <message>
        <source>%1 s</source>
        <translation>%1 秒</translation>
    </message>
    <message>
        <source>%1 min</source>
        <translation>%1 分</translation>
    </message>
    <message>
        <source>%1 h</source>
        <translation>%1 時間</translation>
    </message>
    <message>
        <source>%1 d</source>
        <translation>%1 日</translation>
    </message>
</context>
<context>
    <name>BenchmarkText</name>
    <message>
        <source>%1: %2</source>
        <comment>device, its name</comment>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>%1 MHz before, %2 MHz after</source>
        <translation>開始時 %1 MHz、終了時 %2 MHz</translation>
    </message>
    <message>
        <source>copies %1 GB/s</source>
        <translation>コピー %1 GB/s</translation>
    </message>
    <message>
        <source>fp32 %1 GFLOP/s</source>
        <translation>fp32 %1 GFLOP/s</translation>
    </message>
    <message>
        <source>fp16 on tensor cores %1 GFLOP/s</source>
        <translation>fp16 (Tensor コア) %1 GFLOP/s</translation>
    </message>
    <message>
        <source>Other work ran on the device during the measurement; times are longer than on an idle device.</source>
        <translation>測定中にほかの処理もデバイスを使っていました。空いているときより時間が長くなっています。</translation>
    </message>
</context>
<context>
    <name>Choices</name>
    <message>
        <source>unspecified</source>
        <translation>未指定</translation>
    </message>
    <message>
        <source>queued</source>
        <translation>待機中</translation>
    </message>
    <message>
        <source>running</source>
        <translation>実行中</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>一時停止</translation>
    </message>
    <message>
        <source>succeeded</source>
        <translation>成功</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失敗</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>キャンセル</translation>
    </message>
    <message>
        <source>normal</source>
        <translation>通常</translation>
    </message>
    <message>
        <source>spare</source>
        <translation>空き時間</translation>
    </message>
    <message>
        <source>starting</source>
        <translation>起動中</translation>
    </message>
    <message>
        <source>in service</source>
        <translation>稼働中</translation>
    </message>
    <message>
        <source>draining</source>
        <translation>ドレイン中</translation>
    </message>
    <message>
        <source>drained</source>
        <translation>ドレイン済み</translation>
    </message>
    <message>
        <source>out of service</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>taken</source>
        <translation>他で使用中</translation>
    </message>
    <message>
        <source>unused</source>
        <translation>未使用</translation>
    </message>
    <message>
        <source>realtime</source>
        <translation>リアルタイム</translation>
    </message>
    <message>
        <source>field</source>
        <translation>フィールド</translation>
    </message>
    <message>
        <source>frame</source>
        <translation>フレーム</translation>
    </message>
    <message>
        <source>auto</source>
        <translation>自動</translation>
    </message>
    <message>
        <source>top</source>
        <translation>トップ</translation>
    </message>
    <message>
        <source>bottom</source>
        <translation>ボトム</translation>
    </message>
    <message>
        <source>all</source>
        <translation>すべて</translation>
    </message>
    <message>
        <source>flagged</source>
        <translation>フラグあり</translation>
    </message>
    <message>
        <source>cpu</source>
        <translation>cpu</translation>
    </message>
    <message>
        <source>x264</source>
        <translation>x264</translation>
    </message>
    <message>
        <source>x265</source>
        <translation>x265</translation>
    </message>
    <message>
        <source>svt av1</source>
        <translation>svt av1</translation>
    </message>
    <message>
        <source>ffv1</source>
        <translation>ffv1</translation>
    </message>
    <message>
        <source>raw</source>
        <translation>raw</translation>
    </message>
    <message>
        <source>h264 nvenc</source>
        <translation>h264 nvenc</translation>
    </message>
    <message>
        <source>hevc nvenc</source>
        <translation>hevc nvenc</translation>
    </message>
    <message>
        <source>null</source>
        <translation>null</translation>
    </message>
    <message>
        <source>drop</source>
        <translation>除外</translation>
    </message>
    <message>
        <source>refuse</source>
        <translation>拒否</translation>
    </message>
    <message>
        <source>bloom</source>
        <translation>ブルーム</translation>
    </message>
    <message>
        <source>convolve</source>
        <translation>畳み込みのみ</translation>
    </message>
    <message>
        <source>natural</source>
        <translation>ナチュラル</translation>
    </message>
    <message>
        <source>standard</source>
        <translation>標準</translation>
    </message>
    <message>
        <source>convolution</source>
        <translation>畳み込み</translation>
    </message>
    <message>
        <source>starburst</source>
        <translation>スターバースト</translation>
    </message>
    <message>
        <source>anamorphic</source>
        <translation>アナモルフィック</translation>
    </message>
    <message>
        <source>soft focus</source>
        <translation>ソフトフォーカス</translation>
    </message>
    <message>
        <source>fog glow</source>
        <translation>フォググロー</translation>
    </message>
    <message>
        <source>fft</source>
        <translation>fft</translation>
    </message>
    <message>
        <source>dual</source>
        <translation>デュアル</translation>
    </message>
    <message>
        <source>conserving</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>additive</source>
        <translation>加算</translation>
    </message>
    <message>
        <source>zero</source>
        <translation>黒</translation>
    </message>
    <message>
        <source>clamp</source>
        <translation>端の延長</translation>
    </message>
    <message>
        <source>mirror</source>
        <translation>鏡映</translation>
    </message>
    <message>
        <source>balanced</source>
        <translation>バランス</translation>
    </message>
    <message>
        <source>tinted</source>
        <translation>色付き</translation>
    </message>
    <message>
        <source>gray</source>
        <translation>グレー</translation>
    </message>
    <message>
        <source>power</source>
        <translation>べき乗</translation>
    </message>
    <message>
        <source>gaussian</source>
        <translation>ガウス</translation>
    </message>
    <message>
        <source>aperture</source>
        <translation>絞り</translation>
    </message>
    <message>
        <source>streak</source>
        <translation>ストリーク</translation>
    </message>
    <message>
        <source>fp32</source>
        <translation>32 ビット浮動小数点</translation>
    </message>
    <message>
        <source>fp16</source>
        <translation>16 ビット浮動小数点</translation>
    </message>
    <message>
        <source>half</source>
        <translation>ハーフ</translation>
    </message>
    <message>
        <source>float</source>
        <translation>フロート</translation>
    </message>
    <message>
        <source>fail</source>
        <translation>失敗</translation>
    </message>
    <message>
        <source>skip</source>
        <translation>スキップ</translation>
    </message>
    <message>
        <source>point</source>
        <translation>最近傍</translation>
    </message>
    <message>
        <source>bilinear</source>
        <translation>バイリニア</translation>
    </message>
    <message>
        <source>bicubic</source>
        <translation>バイキュービック</translation>
    </message>
    <message>
        <source>lanczos2</source>
        <translation>lanczos2</translation>
    </message>
    <message>
        <source>lanczos3</source>
        <translation>lanczos3</translation>
    </message>
    <message>
        <source>lanczos4</source>
        <translation>lanczos4</translation>
    </message>
    <message>
        <source>spline16</source>
        <translation>spline16</translation>
    </message>
    <message>
        <source>spline36</source>
        <translation>spline36</translation>
    </message>
    <message>
        <source>spline64</source>
        <translation>spline64</translation>
    </message>
    <message>
        <source>blackman</source>
        <translation>blackman</translation>
    </message>
    <message>
        <source>gauss</source>
        <translation>ガウス</translation>
    </message>
    <message>
        <source>sinc</source>
        <translation>sinc</translation>
    </message>
    <message>
        <source>left</source>
        <translation>左</translation>
    </message>
    <message>
        <source>centre</source>
        <translation>中央</translation>
    </message>
    <message>
        <source>top left</source>
        <translation>左上</translation>
    </message>
    <message>
        <source>bottom left</source>
        <translation>左下</translation>
    </message>
    <message>
        <source>clock</source>
        <translation>右 90 度</translation>
    </message>
    <message>
        <source>cclock</source>
        <translation>左 90 度</translation>
    </message>
    <message>
        <source>clock flip</source>
        <translation>右 90 度 + 上下反転</translation>
    </message>
    <message>
        <source>cclock flip</source>
        <translation>左 90 度 + 上下反転</translation>
    </message>
    <message>
        <source>hflip</source>
        <translation>左右反転</translation>
    </message>
    <message>
        <source>vflip</source>
        <translation>上下反転</translation>
    </message>
    <message>
        <source>420</source>
        <translation>4:2:0</translation>
    </message>
    <message>
        <source>422</source>
        <translation>4:2:2</translation>
    </message>
    <message>
        <source>444</source>
        <translation>4:4:4</translation>
    </message>
    <message>
        <source>bt601</source>
        <translation>BT.601</translation>
    </message>
    <message>
        <source>bt709</source>
        <translation>BT.709</translation>
    </message>
    <message>
        <source>bt2020</source>
        <translation>BT.2020</translation>
    </message>
    <message>
        <source>limited</source>
        <translation>リミテッド</translation>
    </message>
    <message>
        <source>full</source>
        <translation>フル</translation>
    </message>
    <message>
        <source>none</source>
        <translation>なし</translation>
    </message>
    <message>
        <source>ordered</source>
        <translation>組織的</translation>
    </message>
    <message>
        <source>one</source>
        <translation>1</translation>
    </message>
    <message>
        <source>two</source>
        <translation>2</translation>
    </message>
    <message>
        <source>four</source>
        <translation>4</translation>
    </message>
    <message>
        <source>edges</source>
        <translation>エッジ</translation>
    </message>
    <message>
        <source>luma</source>
        <translation>輝度</translation>
    </message>
    <message>
        <source>scale</source>
        <translation>最初の大きさに合わせる</translation>
    </message>
    <message>
        <source>note</source>
        <translation>記録</translation>
    </message>
    <message>
        <source>copy</source>
        <translation>コピー</translation>
    </message>
    <message>
        <source>aac</source>
        <translation>aac</translation>
    </message>
    <message>
        <source>flac</source>
        <translation>flac</translation>
    </message>
    <message>
        <source>split</source>
        <translation>分割</translation>
    </message>
    <message>
        <source>square</source>
        <translation>正方形</translation>
    </message>
    <message>
        <source>hexagon</source>
        <translation>六角形</translation>
    </message>
    <message>
        <source>uneven</source>
        <translation>不均等</translation>
    </message>
    <message>
        <source>exhaustive</source>
        <translation>全探索</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>はい</translation>
    </message>
    <message>
        <source>fast</source>
        <translation>高速</translation>
    </message>
    <message>
        <source>best</source>
        <translation>最高</translation>
    </message>
    <message>
        <source>no</source>
        <translation>いいえ</translation>
    </message>
    <message>
        <source>placebo</source>
        <translation>プラセボ</translation>
    </message>
    <message>
        <source>very slow</source>
        <translation>非常に低速</translation>
    </message>
    <message>
        <source>slower</source>
        <translation>より低速</translation>
    </message>
    <message>
        <source>slow</source>
        <translation>低速</translation>
    </message>
    <message>
        <source>medium</source>
        <translation>中速</translation>
    </message>
    <message>
        <source>faster</source>
        <translation>より高速</translation>
    </message>
    <message>
        <source>very fast</source>
        <translation>非常に高速</translation>
    </message>
    <message>
        <source>super fast</source>
        <translation>超高速</translation>
    </message>
    <message>
        <source>ultra fast</source>
        <translation>極めて高速</translation>
    </message>
    <message>
        <source>draft</source>
        <translation>ドラフト</translation>
    </message>
    <message>
        <source>interlaced</source>
        <translation>インターレース</translation>
    </message>
    <message>
        <source>progressive</source>
        <translation>プログレッシブ</translation>
    </message>
    <message>
        <source>repair</source>
        <translation>修復</translation>
    </message>
    <message>
        <source>repair other</source>
        <translation>修復 (他方のライン)</translation>
    </message>
    <message>
        <source>nnedi</source>
        <translation>nnedi</translation>
    </message>
    <message>
        <source>bwdif</source>
        <translation>bwdif</translation>
    </message>
    <message>
        <source>yadif</source>
        <translation>yadif</translation>
    </message>
    <message>
        <source>bob</source>
        <translation>bob</translation>
    </message>
    <message>
        <source>dv sd</source>
        <translation>dv sd</translation>
    </message>
    <message>
        <source>dv hd</source>
        <translation>dv hd</translation>
    </message>
    <message>
        <source>generate</source>
        <translation>生成</translation>
    </message>
    <message>
        <source>albedo</source>
        <translation>アルベド</translation>
    </message>
    <message>
        <source>mask</source>
        <translation>マスク</translation>
    </message>
    <message>
        <source>bc7</source>
        <translation>BC7</translation>
    </message>
    <message>
        <source>bc1</source>
        <translation>BC1</translation>
    </message>
    <message>
        <source>bc3</source>
        <translation>BC3</translation>
    </message>
    <message>
        <source>bc4</source>
        <translation>BC4</translation>
    </message>
    <message>
        <source>bc5</source>
        <translation>BC5</translation>
    </message>
    <message>
        <source>rgba8</source>
        <translation>RGBA8</translation>
    </message>
    <message>
        <source>keep</source>
        <translation>維持</translation>
    </message>
    <message>
        <source>linear</source>
        <translation>線形</translation>
    </message>
    <message>
        <source>stored</source>
        <translation>格納値</translation>
    </message>
    <message>
        <source>srgb</source>
        <translation>sRGB</translation>
    </message>
    <message>
        <source>make</source>
        <translation>作成</translation>
    </message>
    <message>
        <source>wrap</source>
        <translation>繰り返し</translation>
    </message>
    <message>
        <source>zstd</source>
        <translation>zstd</translation>
    </message>
    <message>
        <source>bc4s</source>
        <translation>BC4s</translation>
    </message>
    <message>
        <source>bc5s</source>
        <translation>BC5s</translation>
    </message>
    <message>
        <source>grid</source>
        <translation>グリッド</translation>
    </message>
    <message>
        <source>direct</source>
        <translation>直接</translation>
    </message>
    <message>
        <source>large</source>
        <translation>大</translation>
    </message>
    <message>
        <source>compaction</source>
        <translation>compaction</translation>
    </message>
    <message>
        <source>gemv</source>
        <translation>gemv</translation>
    </message>
    <message>
        <source>gemm</source>
        <translation>gemm</translation>
    </message>
    <message>
        <source>vector</source>
        <translation>vector</translation>
    </message>
    <message>
        <source>nbody</source>
        <translation>nbody</translation>
    </message>
    <message>
        <source>bilateral</source>
        <translation>bilateral</translation>
    </message>
    <message>
        <source>launch</source>
        <translation>launch</translation>
    </message>
    <message>
        <source>reduction</source>
        <translation>reduction</translation>
    </message>
    <message>
        <source>sad</source>
        <translation>sad</translation>
    </message>
    <message>
        <source>filters</source>
        <translation>filters</translation>
    </message>
    <message>
        <source>limits</source>
        <translation>limits</translation>
    </message>
    <message>
        <source>small</source>
        <translation>小</translation>
    </message>
    <message>
        <source>off</source>
        <translation>オフ</translation>
    </message>
    <message>
        <source>replace</source>
        <translation>置き換え</translation>
    </message>
    <message>
        <source>pc</source>
        <translation>pc</translation>
    </message>
    <message>
        <source>pc n</source>
        <translation>pc n</translation>
    </message>
    <message>
        <source>pc u</source>
        <translation>pc u</translation>
    </message>
    <message>
        <source>pc n ub</source>
        <translation>pc n ub</translation>
    </message>
    <message>
        <source>pcn</source>
        <translation>pcn</translation>
    </message>
    <message>
        <source>pcn ub</source>
        <translation>pcn ub</translation>
    </message>
    <message>
        <source>sc</source>
        <translation>sc</translation>
    </message>
    <message>
        <source>decimals</source>
        <translation>小数</translation>
    </message>
    <message>
        <source>milliseconds</source>
        <translation>ミリ秒</translation>
    </message>
    <message>
        <source>vfr</source>
        <translation>vfr</translation>
    </message>
    <message>
        <source>vfr30</source>
        <translation>vfr30</translation>
    </message>
    <message>
        <source>24p</source>
        <translation>24p</translation>
    </message>
    <message>
        <source>30p</source>
        <translation>30p</translation>
    </message>
    <message>
        <source>60p</source>
        <translation>60p</translation>
    </message>
    <message>
        <source>60</source>
        <translation>60</translation>
    </message>
    <message>
        <source>120</source>
        <translation>120</translation>
    </message>
    <message>
        <source>strong</source>
        <translation>強</translation>
    </message>
    <message>
        <source>weak</source>
        <translation>弱</translation>
    </message>
    <message>
        <source>weaker</source>
        <translation>最弱</translation>
    </message>
    <message>
        <source>same</source>
        <translation>そのまま</translation>
    </message>
    <message>
        <source>always</source>
        <translation>常に</translation>
    </message>
    <message>
        <source>24p film</source>
        <translation>24p フィルム</translation>
    </message>
    <message>
        <source>pattern</source>
        <translation>パターン</translation>
    </message>
    <message>
        <source>score</source>
        <translation>スコア</translation>
    </message>
    <message>
        <source>cost</source>
        <translation>コスト</translation>
    </message>
    <message>
        <source>reliability</source>
        <translation>信頼度</translation>
    </message>
    <message>
        <source>no logo</source>
        <translation>ロゴなし</translation>
    </message>
    <message>
        <source>logo</source>
        <translation>ロゴ</translation>
    </message>
    <message>
        <source>strength</source>
        <translation>強さ</translation>
    </message>
</context>
<context>
    <name>DecisionText</name>
    <message>
        <source>%1 to %2</source>
        <comment>two times</comment>
        <translation>%1～%2</translation>
    </message>
    <message>
        <source>frame %1</source>
        <translation>フレーム %1</translation>
    </message>
    <message>
        <source>frames %1 to %2</source>
        <translation>フレーム %1～%2</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>name and value</comment>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>, </source>
        <comment>between the parts of a list</comment>
        <translation>、</translation>
    </message>
</context>
<context>
    <name>Declared</name>
    <message>
        <source>%1 %2</source>
        <comment>range and unit</comment>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1 ～ %2</translation>
    </message>
    <message>
        <source>at least %1</source>
        <translation>%1 以上</translation>
    </message>
    <message>
        <source>at most %1</source>
        <translation>%1 以下</translation>
    </message>
    <message>
        <source>a whole number</source>
        <translation>整数</translation>
    </message>
    <message>
        <source>a whole number, %1</source>
        <translation>整数 (%1)</translation>
    </message>
    <message>
        <source>a number</source>
        <translation>数値</translation>
    </message>
    <message>
        <source>a number, %1</source>
        <translation>数値 (%1)</translation>
    </message>
    <message>
        <source>one of: %1</source>
        <translation>次のいずれか: %1</translation>
    </message>
    <message>
        <source>a text of at most %1 bytes</source>
        <translation>%1 バイト以下の文字列</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>help and range</comment>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>lines of the form %1, at most %2</source>
        <translation>1 行に 1 つの %1 (%2 行以下)</translation>
    </message>
    <message>
        <source>at most %1 lines, each with %2</source>
        <translation>1 行に 1 つの%2 (%1 行以下)</translation>
    </message>
    <message>
        <source>%1 Sets %2.</source>
        <translation>%1 次の値にします: %2。</translation>
    </message>
    <message>
        <source>filters separated by commas</source>
        <translation>コンマで区切ったフィルター</translation>
    </message>
    <message>
        <source>seconds, HH:MM:SS, or a frame number such as 120f</source>
        <translation>秒数、HH:MM:SS、または 120f のようなフレーム番号</translation>
    </message>
    <message>
        <source>a range of frame numbers such as 1-100 or 1-100x2</source>
        <translation>1-100 や 1-100x2 のようなフレーム番号の範囲</translation>
    </message>
</context>
<context>
    <name>DeviceText</name>
    <message>
        <source>realtime</source>
        <translation>リアルタイム</translation>
    </message>
    <message>
        <source>normal</source>
        <translation>通常</translation>
    </message>
    <message>
        <source>spare</source>
        <translation>空き時間</translation>
    </message>
    <message>
        <source>other programs</source>
        <translation>ほかのプログラム</translation>
    </message>
    <message>
        <source>idle</source>
        <translation>アイドル</translation>
    </message>
    <message>
        <source>Frames of streams with deadlines.</source>
        <translation>期限のあるストリームのフレームです。</translation>
    </message>
    <message>
        <source>Jobs of class normal and streams without deadlines.</source>
        <translation>通常クラスのジョブと、期限のないストリームです。</translation>
    </message>
    <message>
        <source>Jobs of class spare, which use idle time only.</source>
        <translation>空き時間クラスのジョブです。余った時間にだけ実行されます。</translation>
    </message>
    <message>
        <source>Other programs, as reported by the driver.</source>
        <translation>ドライバーが報告する範囲での他のプログラムです。</translation>
    </message>
    <message>
        <source>No work on the device.</source>
        <translation>デバイスは使われていません。</translation>
    </message>
    <message>
        <source>%1 of idle time used (%2 in %3)</source>
        <translation>ジョブによる空き時間の利用率 %1 (過去 %3では %2)</translation>
    </message>
    <message>
        <source>time available to jobs %1, used %2</source>
        <translation>ジョブが使える時間 %1、うち使用 %2</translation>
    </message>
    <message>
        <source>batch size %1</source>
        <translation>バッチサイズ %1</translation>
    </message>
    <message>
        <source>%1 units/s</source>
        <translation>%1 単位/秒</translation>
    </message>
    <message>
        <source>jobs %1</source>
        <translation>ジョブ %1</translation>
    </message>
    <message>
        <source>reserved for streams and other programs: %1</source>
        <translation>ストリームなどに確保済み %1</translation>
    </message>
    <message>
        <source>worker started %1 times</source>
        <translation>ワーカーの起動 %1 回</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>%1, all programs %2</source>
        <translation>%1、全プログラム %2</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 秒</translation>
    </message>
    <message>
        <source>%1 ms</source>
        <translation>%1 ミリ秒</translation>
    </message>
    <message>
        <source>decoding</source>
        <translation>デコード</translation>
    </message>
    <message>
        <source>copying to the device</source>
        <translation>デバイスへのコピー</translation>
    </message>
    <message>
        <source>the device</source>
        <translation>デバイス</translation>
    </message>
    <message>
        <source>encoding</source>
        <translation>エンコード</translation>
    </message>
    <message>
        <source>the disk</source>
        <translation>ディスク</translation>
    </message>
    <message>
        <source>waiting for %1</source>
        <translation>%1 を待っています</translation>
    </message>
</context>
<context>
    <name>JobColumns</name>
    <message>
        <source>State</source>
        <translation>状態</translation>
    </message>
    <message>
        <source>Current state.</source>
        <translation>ジョブの現在の状態です。</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>進捗</translation>
    </message>
    <message>
        <source>Completed share of the job.</source>
        <translation>ジョブの完了した割合です。</translation>
    </message>
    <message>
        <source>Time left</source>
        <translation>残り時間</translation>
    </message>
    <message>
        <source>Estimated time to completion at the current rate.</source>
        <translation>現在の速度で終わるまでの時間です。</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>速度</translation>
    </message>
    <message>
        <source>Frames or images per second.</source>
        <translation>1 秒あたりのフレーム数または画像数です。</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>ファイル</translation>
    </message>
    <message>
        <source>Input and output files.</source>
        <translation>読み込むファイルと書き込むファイルです。</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>種類</translation>
    </message>
    <message>
        <source>Kind of job.</source>
        <translation>処理の種類です。</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>デバイス</translation>
    </message>
    <message>
        <source>Current or last device.</source>
        <translation>ジョブを実行中の、または最後に実行したデバイスです。</translation>
    </message>
    <message>
        <source>Class</source>
        <translation>クラス</translation>
    </message>
    <message>
        <source>Scheduling class: normal or spare.</source>
        <translation>スケジューリングのクラスです (通常または空き時間)。</translation>
    </message>
    <message>
        <source>Priority</source>
        <translation>優先度</translation>
    </message>
    <message>
        <source>Jobs with a higher priority run first.</source>
        <translation>優先度が高いジョブほど先に実行されます。</translation>
    </message>
    <message>
        <source>Owner</source>
        <translation>所有者</translation>
    </message>
    <message>
        <source>Owner of the job.</source>
        <translation>ジョブの所有者です。</translation>
    </message>
    <message>
        <source>Reason</source>
        <translation>理由</translation>
    </message>
    <message>
        <source>Reason for the wait or failure.</source>
        <translation>待機または失敗の理由です。</translation>
    </message>
    <message>
        <source>Attempts</source>
        <translation>試行</translation>
    </message>
    <message>
        <source>Attempts made / allowed.</source>
        <translation>これまでの試行回数と上限です。</translation>
    </message>
    <message>
        <source>Age</source>
        <translation>経過</translation>
    </message>
    <message>
        <source>Time since submission.</source>
        <translation>投入されてからの時間です。</translation>
    </message>
    <message>
        <source>Server</source>
        <translation>サーバー</translation>
    </message>
    <message>
        <source>Server of the job.</source>
        <translation>ジョブを持つサーバーです。</translation>
    </message>
    <message>
        <source>ID</source>
        <translation>ID</translation>
    </message>
    <message>
        <source>Unique job ID.</source>
        <translation>ジョブに固有の ID です。</translation>
    </message>
    <message>
        <source>Labels</source>
        <translation>ラベル</translation>
    </message>
    <message>
        <source>Labels given at submission.</source>
        <translation>投入時に付けられたラベルです。</translation>
    </message>
    <message>
        <source>Ended</source>
        <translation>終了</translation>
    </message>
    <message>
        <source>End time, with the date if not today.</source>
        <translation>ジョブが終わった時です。今日なら時刻、それ以外は日付と時刻です。</translation>
    </message>
</context>
<context>
    <name>LanguageText</name>
    <message>
        <source>Language of the s&amp;ystem</source>
        <translation>システムの言語(&amp;Y)</translation>
    </message>
</context>
<context>
    <name>Main</name>
    <message>
        <source>Address of a daemon to show; may be given several times.</source>
        <translation>指定したデーモンを表示します。複数回指定できます。</translation>
    </message>
    <message>
        <source>Colours: system, light or dark.</source>
        <translation>配色: system、light、dark のいずれか。</translation>
    </message>
    <message>
        <source>Input file of a new job; may be given several times.</source>
        <translation>ジョブにするファイル。複数回指定できます。</translation>
    </message>
    <message>
        <source>Kind of the new jobs (see --add).</source>
        <translation>--add のジョブの種類。</translation>
    </message>
    <message>
        <source>Write a screenshot of the view to FILE and quit.</source>
        <translation>ビューの画像を FILE に書き込んで終了します。</translation>
    </message>
    <message>
        <source>Delay before the screenshot.</source>
        <translation>画像を撮るまでに待つ秒数。</translation>
    </message>
    <message>
        <source>Shows and controls the jobs and devices of Weft daemons.</source>
        <translation>Weft デーモンのジョブとデバイスを表示し、操作します。</translation>
    </message>
    <message>
        <source>Language of the window: %1. Not stored.</source>
        <translation>今回の起動の言語: %1。</translation>
    </message>
    <message>
        <source>Write a picture of the decisions of the job&apos;s analyses to FILE and quit.</source>
        <translation>ジョブの解析の判定を画像として FILE に書き込んで終了します。</translation>
    </message>
    <message>
        <source>Output file of the picture (PNG).</source>
        <translation>画像の出力先 (PNG)。</translation>
    </message>
</context>
<context>
    <name>Options</name>
    <message>
        <source>Input</source>
        <translation>入力</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>出力</translation>
    </message>
    <message>
        <source>Line doubling of each field.</source>
        <translation>各フィールドのラインを 2 倍にします。</translation>
    </message>
    <message>
        <source>Weaves consecutive fields; moving parts are combed.</source>
        <translation>続く 2 つのフィールドを織り合わせます。動きのある部分には櫛状のノイズが出ます。</translation>
    </message>
    <message>
        <source>Edge-directed deinterlacer limited by the neighbouring fields; bit-exact with FFmpeg&apos;s yadif.</source>
        <translation>エッジの向きに沿って補間し、結果を前後のフィールドの範囲に収めます。FFmpeg の yadif とバイト単位で一致します。</translation>
    </message>
    <message>
        <source>Motion-adaptive deinterlacer with cubic interpolation; bit-exact with FFmpeg&apos;s bwdif.</source>
        <translation>動き適応の 3 次補間です。FFmpeg の bwdif とバイト単位で一致します。</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>レート</translation>
    </message>
    <message>
        <source>Output rate: one frame per field or one per frame.</source>
        <translation>出力するピクチャーの数です。</translation>
    </message>
    <message>
        <source>One frame per field: 59.94p from 59.94i.</source>
        <translation>1 フィールドにつき 1 枚です。59.94i は 59.94p になります。</translation>
    </message>
    <message>
        <source>One output frame for each input frame: 29.97p from 59.94i.</source>
        <translation>1 フレームにつき 1 枚です。59.94i は 29.97p になります。</translation>
    </message>
    <message>
        <source>Parity</source>
        <translation>フィールド順</translation>
    </message>
    <message>
        <source>Field order: the first field of each frame in time.</source>
        <translation>フレームのどちらのフィールドが時間的に先かを指定します。</translation>
    </message>
    <message>
        <source>As the stream signals; top field first if it does not.</source>
        <translation>ストリームの指定に従います。指定がなければトップが先です。</translation>
    </message>
    <message>
        <source>Top field first (lines 0, 2, 4 ...).</source>
        <translation>トップフィールド (ライン 0、2、4 …) です。</translation>
    </message>
    <message>
        <source>Bottom field first (lines 1, 3, 5 ..., counted from 0).</source>
        <translation>ボトムフィールド (ライン 1、3、5 …) です。</translation>
    </message>
    <message>
        <source>Frames</source>
        <translation>フレーム</translation>
    </message>
    <message>
        <source>Selects the frames to deinterlace: all, or those flagged as interlaced.</source>
        <translation>インターレースを解除するフレームです。</translation>
    </message>
    <message>
        <source>All frames.</source>
        <translation>すべてのフレームです。</translation>
    </message>
    <message>
        <source>Frames flagged as interlaced; the others pass unchanged, once each.</source>
        <translation>ストリームでインターレースとされているフレームだけを処理します。ほかのフレームはそのまま 1 回だけ出力します。</translation>
    </message>
    <message>
        <source>Spatial interlacing check: limits the result by the lines two above and two below.</source>
        <translation>2 ライン上と 2 ライン下の値でも結果の範囲を制限します。</translation>
    </message>
    <message>
        <source>Decoding</source>
        <translation>デコード</translation>
    </message>
    <message>
        <source>Decoder</source>
        <translation>デコーダー</translation>
    </message>
    <message>
        <source>Decoder.</source>
        <translation>デコーダーです。</translation>
    </message>
    <message>
        <source>Hardware decoder of the job&apos;s GPU if it supports the format, else the CPU.</source>
        <translation>ジョブを実行する GPU が対応する形式ならそのデコーダー、それ以外は CPU を使います。</translation>
    </message>
    <message>
        <source>CPU.</source>
        <translation>CPU を使います。</translation>
    </message>
    <message>
        <source>Decoder threads</source>
        <translation>デコードのスレッド</translation>
    </message>
    <message>
        <source>Decoder threads on the CPU; 0: automatic.</source>
        <translation>デコードに使う CPU のスレッド数です。0 ではマシンに合わせて決めます。</translation>
    </message>
    <message>
        <source>threads</source>
        <translation>スレッド</translation>
    </message>
    <message>
        <source>Encoding</source>
        <translation>エンコード</translation>
    </message>
    <message>
        <source>Encoder</source>
        <translation>エンコーダー</translation>
    </message>
    <message>
        <source>The encoder of the output.</source>
        <translation>出力のエンコーダーです。</translation>
    </message>
    <message>
        <source>By the output&apos;s extension: raw for y4m, svt-av1 for webm, else x264.</source>
        <translation>出力の拡張子で決めます。y4m なら raw、webm なら svt-av1、それ以外は x264 です。</translation>
    </message>
    <message>
        <source>H.264 (libx264). Default: crf 23, preset medium.</source>
        <translation>libx264 による H.264 です。既定は crf 23、プリセット medium です。</translation>
    </message>
    <message>
        <source>H.265 (libx265). Default: crf 28, preset medium.</source>
        <translation>libx265 による H.265 です。既定は crf 28、プリセット medium です。</translation>
    </message>
    <message>
        <source>AV1 (SVT-AV1). Default: crf 35, preset 10.</source>
        <translation>SVT-AV1 による AV1 です。既定は crf 35、プリセット 10 です。</translation>
    </message>
    <message>
        <source>FFV1, lossless, version 3; every frame is a keyframe.</source>
        <translation>可逆圧縮の FFV1 バージョン 3 です。すべてのフレームがキーフレームです。</translation>
    </message>
    <message>
        <source>Uncompressed frames, for y4m.</source>
        <translation>非圧縮のフレームです (y4m 用)。</translation>
    </message>
    <message>
        <source>H.264 (NVENC, the encoder of NVIDIA GPUs). Default: 2000 kbit/s, preset p4.</source>
        <translation>NVIDIA GPU のエンコーダーによる H.264 です。既定は 2000 kbit/s、プリセット p4 です。</translation>
    </message>
    <message>
        <source>H.265 (NVENC, the encoder of NVIDIA GPUs). Default: 2000 kbit/s, preset p4.</source>
        <translation>NVIDIA GPU のエンコーダーによる H.265 です。既定は 2000 kbit/s、プリセット p4 です。</translation>
    </message>
    <message>
        <source>Frames are dropped and no file is written: for measuring.</source>
        <translation>フレームを捨て、ファイルを書きません。測定用です。</translation>
    </message>
    <message>
        <source>Encoder option</source>
        <translation>エンコーダーのオプション</translation>
    </message>
    <message>
        <source>Encoder option KEY=VALUE with FFmpeg&apos;s name, such as tune=film; repeatable.</source>
        <translation>エンコーダーに渡すオプションです。FFmpeg での名前で指定します。複数指定できます。</translation>
    </message>
    <message>
        <source>Encoder threads</source>
        <translation>エンコードのスレッド</translation>
    </message>
    <message>
        <source>Encoder threads; 0: automatic. The encoded output depends on this number.</source>
        <translation>エンコードに使う CPU のスレッド数です。同じ出力を再現するには同じ値にします。0 ではマシンに合わせて決めます。</translation>
    </message>
    <message>
        <source>Segment frames</source>
        <translation>セグメントのフレーム数</translation>
    </message>
    <message>
        <source>Segment length in source frames; finished segments survive a crash, and each starts with a keyframe.</source>
        <translation>1 セグメントに含める元のフレームの数です。マシンが落ちても、終わったセグメントは失われません。</translation>
    </message>
    <message>
        <source>frames</source>
        <translation>フレーム</translation>
    </message>
    <message>
        <source>Unsupported streams</source>
        <translation>非対応のストリーム</translation>
    </message>
    <message>
        <source>Drop the streams, with a note in the result and the log.</source>
        <translation>除外し、結果とログに記録します。</translation>
    </message>
    <message>
        <source>Refuse the job.</source>
        <translation>ジョブを拒否します。</translation>
    </message>
    <message>
        <source>Mode</source>
        <translation>モード</translation>
    </message>
    <message>
        <source>Result: the image with bloom or a plain convolution.</source>
        <translation>出力です。光がにじんだ画像か、単純な畳み込みのどちらかです。</translation>
    </message>
    <message>
        <source>The image with bloom.</source>
        <translation>シーンと光のにじみを合わせたものです。</translation>
    </message>
    <message>
        <source>Plain convolution with the kernel image, neither resized nor normalized, its centre at half of each side.</source>
        <translation>カーネルの画像をそのまま使う単純な畳み込みです。拡大縮小も正規化もせず、画像の中央を中心とします。</translation>
    </message>
    <message>
        <source>Preset</source>
        <translation>プリセット</translation>
    </message>
    <message>
        <source>Preset: defaults of the other options.</source>
        <translation>ほかのオプションの既定値を決めます。</translation>
    </message>
    <message>
        <source>Energy-conserving scattering of a part of all light.</source>
        <translation>すべての光の一部が広がり、光は増えません。各オプション本来の既定値です。</translation>
    </message>
    <message>
        <source>Bloom as in games: a sum of blurs of bright areas, added to the image.</source>
        <translation>ゲームで使われる方式です。明るい部分のぼかしを重ねて加えます。</translation>
    </message>
    <message>
        <source>For kernels with a bright centre: all light passes through the kernel.</source>
        <translation>中心が強いカーネル向けです。すべての光がカーネルを通り、その場に残る量は中心で決まります。</translation>
    </message>
    <message>
        <source>Coloured stars around lamps.</source>
        <translation>光源のまわりに色のついた光条が出ます。</translation>
    </message>
    <message>
        <source>Bluish horizontal streaks through bright lights, as from an anamorphic lens.</source>
        <translation>明るい部分に青みがかった横の筋が入ります。</translation>
    </message>
    <message>
        <source>Soft veil over the image, as of a diffusion filter.</source>
        <translation>拡散フィルターのように、全体に薄いベールがかかります。</translation>
    </message>
    <message>
        <source>Wide halos, as in fog.</source>
        <translation>霧の中のような広い光の輪ができます。</translation>
    </message>
    <message>
        <source>Method</source>
        <translation>方式</translation>
    </message>
    <message>
        <source>Algorithm of the glow.</source>
        <translation>光のにじみを計算する方法です。</translation>
    </message>
    <message>
        <source>FFT convolution with the kernel: any shape, exact.</source>
        <translation>FFT によるカーネルの畳み込みです。どのような形でも正確です。</translation>
    </message>
    <message>
        <source>Repeated downsampling and upsampling: a round glow of any width, fast. Ignores the kernel options.</source>
        <translation>縮小と拡大を繰り返します。丸いにじみを任意の広さで、軽い処理で作ります。カーネルのオプションは無効です。</translation>
    </message>
    <message>
        <source>Intensity</source>
        <translation>強さ</translation>
    </message>
    <message>
        <source>Strength. Conserving: fraction of the light that passes through the kernel, at most 1. Additive: multiplier of the glow.</source>
        <translation>保存では、光のうちカーネルを通る割合 (最大 1) です。加算では、にじみに掛ける倍率です。</translation>
    </message>
    <message>
        <source>Scatter</source>
        <translation>散乱</translation>
    </message>
    <message>
        <source>Multiplier of the kernel outside its centre: strength of the halo.</source>
        <translation>カーネルの中心以外の光に掛ける倍率です。1 ではカーネルのままです。</translation>
    </message>
    <message>
        <source>Spike</source>
        <translation>スパイク</translation>
    </message>
    <message>
        <source>Multiplier of the kernel&apos;s centre: strength of the unscattered light.</source>
        <translation>カーネルの中心、つまり鋭い点のまま残る光に掛ける倍率です。1 ではカーネルのままです。</translation>
    </message>
    <message>
        <source>Energy</source>
        <translation>エネルギー</translation>
    </message>
    <message>
        <source>Light balance: conserving (same total light) or additive.</source>
        <translation>光の総量の扱いです。</translation>
    </message>
    <message>
        <source>Energy-conserving: scattered light is removed from its origin. Light that crosses the picture&apos;s edges is lost.</source>
        <translation>広がった光は元の場所から減ります。画面の外に出る分を除き、光の総量は変わりません。</translation>
    </message>
    <message>
        <source>Additive: the glow is added to the image, which becomes brighter.</source>
        <translation>にじみをシーンに加えます。全体は明るくなります。</translation>
    </message>
    <message>
        <source>Threshold</source>
        <translation>しきい値</translation>
    </message>
    <message>
        <source>Brightness above which light blooms (white is 1); 0: all light.</source>
        <translation>これより明るい部分だけがにじみます。0 ではすべてです。白は 1 です。</translation>
    </message>
    <message>
        <source>Knee</source>
        <translation>ニー</translation>
    </message>
    <message>
        <source>Soft knee of the threshold, as a fraction of it; 0: hard, 1: starts at black.</source>
        <translation>しきい値の柔らかさを、しきい値に対する割合で指定します。0 では急に切り替わり、1 では黒から始まります。</translation>
    </message>
    <message>
        <source>Clamp</source>
        <translation>上限</translation>
    </message>
    <message>
        <source>Maximum brightness of the light that blooms; brighter light blooms with this value.</source>
        <translation>これより明るい部分は、この明るさとしてにじみます。</translation>
    </message>
    <message>
        <source>Padding</source>
        <translation>画面の外</translation>
    </message>
    <message>
        <source>Content assumed beyond the picture&apos;s edges.</source>
        <translation>画面の外側の扱いです。</translation>
    </message>
    <message>
        <source>Black.</source>
        <translation>黒とします。光は画面の外へ出ますが、外からは入りません。</translation>
    </message>
    <message>
        <source>Repeated edge pixels.</source>
        <translation>端のピクセルが外へ続くものとします。</translation>
    </message>
    <message>
        <source>Mirrored picture.</source>
        <translation>画像を端で折り返します。</translation>
    </message>
    <message>
        <source>Kernel</source>
        <translation>カーネル</translation>
    </message>
    <message>
        <source>Kernel image (point spread function), in linear light.</source>
        <translation>カーネルの画像です。1 点の光がどう広がるかを表します。</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大きさ</translation>
    </message>
    <message>
        <source>Kernel size, as a fraction of the picture&apos;s shorter side; 0: the kernel image at its own size.</source>
        <translation>カーネルの一辺を、画像の短辺に対する割合で指定します。0 では、カーネルの画像の 1 ピクセルが画像の 1 ピクセルになります。</translation>
    </message>
    <message>
        <source>Rotation</source>
        <translation>回転</translation>
    </message>
    <message>
        <source>Rotation of the kernel, counter-clockwise.</source>
        <translation>カーネルを反時計回りに回します。</translation>
    </message>
    <message>
        <source>degrees</source>
        <translation>度</translation>
    </message>
    <message>
        <source>Centre x</source>
        <translation>中心 X</translation>
    </message>
    <message>
        <source>Column of the kernel&apos;s centre in the kernel image, from 0. Default: brightest pixel.</source>
        <translation>カーネルの画像の中心となる列です (0 から)。指定しなければ最も明るいピクセルの列です。</translation>
    </message>
    <message>
        <source>pixels</source>
        <translation>ピクセル</translation>
    </message>
    <message>
        <source>Centre y</source>
        <translation>中心 Y</translation>
    </message>
    <message>
        <source>Row of the kernel&apos;s centre in the kernel image, from 0. Default: brightest pixel.</source>
        <translation>カーネルの画像の中心となる行です (0 から)。指定しなければ最も明るいピクセルの行です。</translation>
    </message>
    <message>
        <source>Radius cut</source>
        <translation>半径の切り詰め</translation>
    </message>
    <message>
        <source>Fraction of the kernel&apos;s radius to keep; smaller is faster.</source>
        <translation>カーネルの半径のうち残す割合です。小さいほど速くなります。</translation>
    </message>
    <message>
        <source>Taper</source>
        <translation>テーパー</translation>
    </message>
    <message>
        <source>Fade of the kernel to 0, as the outer fraction of its radius; 0: none, the kernel image stays rectangular.</source>
        <translation>カーネルが 0 まで弱まる、半径の外側の割合です。0 では弱まらず、画像は長方形のままです。</translation>
    </message>
    <message>
        <source>Kernel colour</source>
        <translation>カーネルの色</translation>
    </message>
    <message>
        <source>Colours of the kernel: balanced, tinted or gray.</source>
        <translation>カーネルの色の扱いです。</translation>
    </message>
    <message>
        <source>Each channel keeps its shape and has the same sum: white light stays white.</source>
        <translation>形は色ごとに異なり、光の量は全色で同じです。白い光は白のままです。</translation>
    </message>
    <message>
        <source>Unchanged: a coloured kernel tints the glow.</source>
        <translation>カーネルのままです。色のついたカーネルではにじみにも色がつきます。</translation>
    </message>
    <message>
        <source>Luminance of the kernel for all channels: fastest.</source>
        <translation>カーネルの輝度をすべての色に使います。最も高速です。</translation>
    </message>
    <message>
        <source>Glare</source>
        <translation>グレア</translation>
    </message>
    <message>
        <source>Built-in kernel, used without a kernel image.</source>
        <translation>画像を指定しないときのカーネルです。</translation>
    </message>
    <message>
        <source>Power law, as the glare of lenses and eyes; Lorentzian for exponent 2.</source>
        <translation>距離のべき乗で弱まります。レンズや目のグレアと同じ性質で、指数 2 ではローレンツ型です。</translation>
    </message>
    <message>
        <source>Gaussian: a soft disc.</source>
        <translation>柔らかい円です。</translation>
    </message>
    <message>
        <source>Diffraction at the aperture blades: coloured stars.</source>
        <translation>絞り羽根による回折です。色のついた光条になります。</translation>
    </message>
    <message>
        <source>Horizontal streak, as of an anamorphic lens.</source>
        <translation>両側へ消えていく線です。アナモルフィックレンズの特徴です。</translation>
    </message>
    <message>
        <source>Gaussian sigma</source>
        <translation>ガウスのシグマ</translation>
    </message>
    <message>
        <source>Standard deviation of the Gaussian, as a fraction of the kernel&apos;s radius.</source>
        <translation>ガウス関数の標準偏差を、カーネルの半径に対する割合で指定します。</translation>
    </message>
    <message>
        <source>Power core</source>
        <translation>べき乗のコア</translation>
    </message>
    <message>
        <source>Core radius of the power law, as a fraction of the kernel&apos;s radius.</source>
        <translation>べき乗則の平らな中心部の半径を、カーネルの半径に対する割合で指定します。</translation>
    </message>
    <message>
        <source>Power exponent</source>
        <translation>べき指数</translation>
    </message>
    <message>
        <source>Exponent of the power law; larger falls off faster.</source>
        <translation>べき乗則で弱まる速さです。</translation>
    </message>
    <message>
        <source>Blades</source>
        <translation>絞り羽根</translation>
    </message>
    <message>
        <source>Number of aperture blades, at least 3; 0: a circular aperture.</source>
        <translation>絞り羽根の枚数です (3 枚以上)。0 では円形です。</translation>
    </message>
    <message>
        <source>Blade rounding</source>
        <translation>羽根の丸み</translation>
    </message>
    <message>
        <source>Roundness of the aperture; 0: straight blades, 1: a circle.</source>
        <translation>絞り羽根の丸みです。0 では直線、1 では円形です。</translation>
    </message>
    <message>
        <source>Dirt</source>
        <translation>汚れ</translation>
    </message>
    <message>
        <source>Image of dirt on the aperture; black blocks the light. With glare=aperture.</source>
        <translation>絞りに付いた汚れの画像です。黒い部分は光を遮ります。グレアが「絞り」のときに有効です。</translation>
    </message>
    <message>
        <source>Dark ring</source>
        <translation>暗環</translation>
    </message>
    <message>
        <source>Scale of the diffraction: radius of the first dark ring of a circular aperture in green light, as a fraction of the kernel&apos;s radius.</source>
        <translation>回折の大きさです。円形の絞りで緑の光が作る最初の暗環を、カーネルの半径に対する割合で指定します。</translation>
    </message>
    <message>
        <source>Streak length</source>
        <translation>ストリークの長さ</translation>
    </message>
    <message>
        <source>Length of the streak: distance of the fall to 1/e, as a fraction of the kernel&apos;s radius.</source>
        <translation>ストリークが 1/e まで弱まる位置を、カーネルの半径に対する割合で指定します。</translation>
    </message>
    <message>
        <source>Streak width</source>
        <translation>ストリークの太さ</translation>
    </message>
    <message>
        <source>Width of the streak: standard deviation across it, as a fraction of the kernel&apos;s radius.</source>
        <translation>ストリークの太さ方向の標準偏差を、カーネルの半径に対する割合で指定します。</translation>
    </message>
    <message>
        <source>Streak red</source>
        <translation>ストリークの赤</translation>
    </message>
    <message>
        <source>Red component of the streak, with kernel-colour=tinted.</source>
        <translation>ストリークの赤です。カーネルの色が「色付き」のときに見えます。</translation>
    </message>
    <message>
        <source>Streak green</source>
        <translation>ストリークの緑</translation>
    </message>
    <message>
        <source>Green component of the streak, with kernel-colour=tinted.</source>
        <translation>ストリークの緑です。カーネルの色が「色付き」のときに見えます。</translation>
    </message>
    <message>
        <source>Streak blue</source>
        <translation>ストリークの青</translation>
    </message>
    <message>
        <source>Blue component of the streak, with kernel-colour=tinted.</source>
        <translation>ストリークの青です。カーネルの色が「色付き」のときに見えます。</translation>
    </message>
    <message>
        <source>Dual spread</source>
        <translation>デュアルの広がり</translation>
    </message>
    <message>
        <source>Weight of the coarser pyramid levels in the dual filter: a larger value widens the glow.</source>
        <translation>デュアル方式の形です。各段階で、より広い段階が占める割合です。</translation>
    </message>
    <message>
        <source>Suppress fireflies</source>
        <translation>輝点の抑制</translation>
    </message>
    <message>
        <source>Reduces the weight of single bright pixels, which flicker in motion; their light is lost. Dual method only.</source>
        <translation>動くとちらつく孤立した明るいピクセルの重みを下げます。その光は失われます。デュアル方式だけで有効です。</translation>
    </message>
    <message>
        <source>Intermediates</source>
        <translation>中間結果</translation>
    </message>
    <message>
        <source>Number format between the passes of the FFT. FFT method only.</source>
        <translation>変換の中間結果をパスの間でどの精度で保つかです。FFT 方式だけで有効です。</translation>
    </message>
    <message>
        <source>32-bit floats: no errors next to bright light.</source>
        <translation>1 つの数に 32 ビットを使います。明るいものが隣の暗部に跡を残しません。</translation>
    </message>
    <message>
        <source>16-bit floats: less memory and bandwidth, faint grain in dark rows next to very bright light. For previews.</source>
        <translation>1 つの数に 16 ビットを使います。メモリとその転送量が減りますが、かすかな粒状ノイズが出て、太陽と同じ行の暗部で見えます。プレビュー向けです。</translation>
    </message>
    <message>
        <source>Output depth</source>
        <translation>出力の深度</translation>
    </message>
    <message>
        <source>Sample type of an OpenEXR output or a float TIFF. Default: the input&apos;s; OpenEXR from 8-bit input is half, from 16-bit or Radiance input float.</source>
        <translation>OpenEXR 出力、または浮動小数点で保存する TIFF 出力のサンプルの精度です。指定しなければ入力と同じで、OpenEXR では Radiance と 16 ビットからは float、8 ビットからは half です。</translation>
    </message>
    <message>
        <source>Half float (16 bits).</source>
        <translation>1 サンプル 16 ビットです。</translation>
    </message>
    <message>
        <source>32-bit float.</source>
        <translation>1 サンプル 32 ビットです。</translation>
    </message>
    <message>
        <source>Frame range of a sequence: 1-100, or 1-100x2 for every second frame. Default: all frames.</source>
        <translation>連番のうち処理するフレームです。1-100 のように、1 つおきなら 1-100x2 のように指定します。指定しなければすべてです。</translation>
    </message>
    <message>
        <source>Missing</source>
        <translation>欠けたフレーム</translation>
    </message>
    <message>
        <source>Action if frames of a sequence are missing.</source>
        <translation>フレームが欠けている連番の扱いです。</translation>
    </message>
    <message>
        <source>Refuse the job and list the missing frames.</source>
        <translation>欠けた番号を示してジョブを拒否します。</translation>
    </message>
    <message>
        <source>Process the existing frames.</source>
        <translation>あるものだけを処理します。</translation>
    </message>
    <message>
        <source>Preview</source>
        <translation>プレビュー</translation>
    </message>
    <message>
        <source>Writes a PNG preview: the first frame before and after the filters, side by side.</source>
        <translation>画像とともに書き出す PNG です。最初のフレームの処理前と処理後を並べます。</translation>
    </message>
    <message>
        <source>Preview exposure</source>
        <translation>プレビューの露出</translation>
    </message>
    <message>
        <source>Exposure of the preview.</source>
        <translation>プレビューを明るく、または暗くします。</translation>
    </message>
    <message>
        <source>stops</source>
        <translation>段</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>レイヤー</translation>
    </message>
    <message>
        <source>Layer of an OpenEXR file: LAYER, PART or PART.LAYER. Default: the unnamed RGBA channels.</source>
        <translation>OpenEXR ファイルで処理する色です。レイヤーかパートの名前、または PART.LAYER の形で指定します。指定しなければ名前のない色です。</translation>
    </message>
    <message>
        <source>Class</source>
        <translation>クラス</translation>
    </message>
    <message>
        <source>Fair share of the device&apos;s time.</source>
        <translation>デバイスの時間を公平に分け合います。</translation>
    </message>
    <message>
        <source>Runs only while the device is otherwise idle.</source>
        <translation>デバイスがほかに使われていない時間にだけ実行します。</translation>
    </message>
    <message>
        <source>Priority</source>
        <translation>優先度</translation>
    </message>
    <message>
        <source>Queue priority. Higher values start first; owners alternate among equal values. Only operators may set values below -100 or above 100.</source>
        <translation>キュー内の順序: 高いものから実行し、同じ値なら所有者が交代します。-100 より小さい値と 100 より大きい値は運用者だけが設定できます。</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>デバイス</translation>
    </message>
    <message>
        <source>Device to run on: cpu, cuda:0, vulkan:0 ... Default: any.</source>
        <translation>このデバイスだけで実行します (cpu、cuda:0、vulkan:0 など)。指定しなければどのデバイスでも実行します。</translation>
    </message>
    <message>
        <source>Label</source>
        <translation>ラベル</translation>
    </message>
    <message>
        <source>Label KEY=VALUE for selecting jobs; may be given several times.</source>
        <translation>ジョブを探すためのラベルです。複数指定できます。</translation>
    </message>
    <message>
        <source>Owner</source>
        <translation>所有者</translation>
    </message>
    <message>
        <source>Owner of the job. Default: the caller&apos;s user name.</source>
        <translation>ジョブの所有者です。指定しなければ投入した人のユーザー名です。</translation>
    </message>
    <message>
        <source>Max attempts</source>
        <translation>最大試行回数</translation>
    </message>
    <message>
        <source>Attempts before the job fails; only transient errors, such as a lost device, are retried.</source>
        <translation>次は成功する可能性がある失敗のとき、ジョブを失敗とするまでに試す回数です。</translation>
    </message>
    <message>
        <source>Weight</source>
        <translation>重み</translation>
    </message>
    <message>
        <source>Share of the owner&apos;s device time, relative to the owner&apos;s other jobs of the same class and priority.</source>
        <translation>所有者がデバイスで得る時間のうち、このジョブの取り分です。同じ所有者、クラス、優先度のほかのジョブに対する比です。</translation>
    </message>
    <message>
        <source>Overwrite</source>
        <translation>上書き</translation>
    </message>
    <message>
        <source>Overwrite an existing output.</source>
        <translation>出力が既にあれば置き換えます。</translation>
    </message>
    <message>
        <source>Filters a video file.</source>
        <translation>動画をフィルターの連なりに通します。</translation>
    </message>
    <message>
        <source>Input video file.</source>
        <translation>動画ファイルです。</translation>
    </message>
    <message>
        <source>Filters</source>
        <translation>フィルター</translation>
    </message>
    <message>
        <source>Filter chain in FFmpeg&apos;s syntax: bwdif,resize=1280x720:kernel=spline36,deband.</source>
        <translation>FFmpeg の書式で、適用する順に並べたフィルターです (例: bwdif,resize=1280x720:kernel=spline36,deband)。</translation>
    </message>
    <message>
        <source>From</source>
        <translation>開始位置</translation>
    </message>
    <message>
        <source>To</source>
        <translation>終了位置</translation>
    </message>
    <message>
        <source>Spatial check</source>
        <translation>空間チェック</translation>
    </message>
    <message>
        <source>Adds bloom (glare) to bright areas.</source>
        <translation>明るい光をにじませます。</translation>
    </message>
    <message>
        <source>Scales to a new size.</source>
        <translation>画像を拡大または縮小します。</translation>
    </message>
    <message>
        <source>Output size. A side of -1 keeps the aspect ratio; -2 keeps it and rounds to an even number.</source>
        <translation>新しい大きさです。片方の辺を -1 にすると縦横比を保つ値になり、-2 にするとさらに偶数にそろえます。</translation>
    </message>
    <message>
        <source>Resampling kernel.</source>
        <translation>周囲のサンプルから新しいサンプルを求める方法です。</translation>
    </message>
    <message>
        <source>Nearest neighbour.</source>
        <translation>最も近いサンプルを使います。</translation>
    </message>
    <message>
        <source>Bilinear: soft.</source>
        <translation>三角形のカーネルです。柔らかく仕上がります。</translation>
    </message>
    <message>
        <source>Bicubic (Mitchell-Netravali), with the options b and c.</source>
        <translation>係数 B と C による Mitchell-Netravali の 3 次関数です。</translation>
    </message>
    <message>
        <source>Lanczos, 2 taps.</source>
        <translation>ローブが 2 つの Lanczos です。</translation>
    </message>
    <message>
        <source>Lanczos, 3 taps: sharp.</source>
        <translation>ローブが 3 つの Lanczos です。シャープに仕上がります。</translation>
    </message>
    <message>
        <source>Lanczos, 4 taps: sharpest, with ringing.</source>
        <translation>ローブが 4 つの Lanczos です。最もシャープですが、リンギングが出ます。</translation>
    </message>
    <message>
        <source>Cubic spline over 4 samples.</source>
        <translation>4 サンプルにわたる 3 次スプラインです。</translation>
    </message>
    <message>
        <source>Cubic spline over 6 samples.</source>
        <translation>6 サンプルにわたる 3 次スプラインです。</translation>
    </message>
    <message>
        <source>Cubic spline over 8 samples.</source>
        <translation>8 サンプルにわたる 3 次スプラインです。</translation>
    </message>
    <message>
        <source>Blackman-windowed sinc, with the option taps: less ringing than Lanczos.</source>
        <translation>片側が「タップ数」サンプルのブラックマン窓をかけた sinc です。Lanczos よりリンギングが少なくなります。</translation>
    </message>
    <message>
        <source>Gaussian, with the option sharpness.</source>
        <translation>ガウス関数です。「シャープネス」を上げるほど幅が狭くなります。</translation>
    </message>
    <message>
        <source>Truncated sinc, with the option taps.</source>
        <translation>片側「タップ数」サンプルで打ち切った sinc です。</translation>
    </message>
    <message>
        <source>B</source>
        <translation>B</translation>
    </message>
    <message>
        <source>Parameter B of the bicubic kernel (blur).</source>
        <translation>バイキュービックの柔らかさです。</translation>
    </message>
    <message>
        <source>C</source>
        <translation>C</translation>
    </message>
    <message>
        <source>Parameter C of the bicubic kernel (ringing).</source>
        <translation>バイキュービックのリンギングの強さです。</translation>
    </message>
    <message>
        <source>Taps</source>
        <translation>タップ数</translation>
    </message>
    <message>
        <source>Taps of the blackman and sinc kernels: samples on each side.</source>
        <translation>blackman と sinc で使う片側のサンプル数です。</translation>
    </message>
    <message>
        <source>Sharpness</source>
        <translation>シャープネス</translation>
    </message>
    <message>
        <source>Sharpness p of the Gaussian kernel: weight 2^(-p / 10 * x^2) at a distance of x source samples (output samples when downscaling).</source>
        <translation>ガウス関数の幅の狭さです。元の画像で x サンプル離れたサンプル (縮小する方向では、x は結果のサンプル数) の重みは 2^(-sharpness / 10 * x^2) です。大きいほどシャープですがジャギーが目立ち、小さいほど柔らかくなります。</translation>
    </message>
    <message>
        <source>Chroma position</source>
        <translation>クロマの位置</translation>
    </message>
    <message>
        <source>Chroma siting of subsampled video.</source>
        <translation>輝度サンプルに対するクロマサンプルの位置です。</translation>
    </message>
    <message>
        <source>Chroma siting of 4:2:0 and 4:2:2 video.</source>
        <translation>輝度サンプルに対するクロマサンプルの位置です。</translation>
    </message>
    <message>
        <source>Signalled by the stream; left if unspecified.</source>
        <translation>ストリームの指定に従います。指定がなければ左です。</translation>
    </message>
    <message>
        <source>Left, between two rows (MPEG-2, H.264).</source>
        <translation>左の輝度サンプルの列で、2 つの行の中間です (MPEG-2、H.264)。</translation>
    </message>
    <message>
        <source>Centre of the luma samples (MPEG-1, JPEG).</source>
        <translation>輝度サンプルの中間です (MPEG-1、JPEG)。</translation>
    </message>
    <message>
        <source>Top left luma sample (UHD, HDR).</source>
        <translation>左上の輝度サンプルと同じ位置です (UHD、HDR)。</translation>
    </message>
    <message>
        <source>Top, between two columns.</source>
        <translation>上の行で、2 つの列の中間です。</translation>
    </message>
    <message>
        <source>Bottom left luma sample.</source>
        <translation>左下の輝度サンプルと同じ位置です。</translation>
    </message>
    <message>
        <source>Bottom, between two columns.</source>
        <translation>下の行で、2 つの列の中間です。</translation>
    </message>
    <message>
        <source>Crops to a part of the frame.</source>
        <translation>画像の一部を切り出します。</translation>
    </message>
    <message>
        <source>Output size.</source>
        <translation>残す部分の大きさです。</translation>
    </message>
    <message>
        <source>Left edge of the cropped part. Default: centred.</source>
        <translation>残す部分の最初の列です。指定しなければ中央を残します。</translation>
    </message>
    <message>
        <source>Top edge of the cropped part. Default: centred.</source>
        <translation>残す部分の最初の行です。指定しなければ中央を残します。</translation>
    </message>
    <message>
        <source>Pads the frame to a larger size with one colour.</source>
        <translation>単色の余白を加えて画像を大きくします。</translation>
    </message>
    <message>
        <source>Position of the frame&apos;s left edge. Default: centred.</source>
        <translation>画像の左端を置く列です。指定しなければ中央に置きます。</translation>
    </message>
    <message>
        <source>Position of the frame&apos;s top edge. Default: centred.</source>
        <translation>画像の上端を置く行です。指定しなければ中央に置きます。</translation>
    </message>
    <message>
        <source>Colour</source>
        <translation>色</translation>
    </message>
    <message>
        <source>Colour of the padding: black, gray, white or RRGGBB (six hexadecimal digits).</source>
        <translation>画像の周囲の色です。black、gray、white、または赤、緑、青を表す 6 桁の 16 進数で指定します。</translation>
    </message>
    <message>
        <source>Rotates and flips the frame.</source>
        <translation>画像を回転または反転します。</translation>
    </message>
    <message>
        <source>Rotation and flip.</source>
        <translation>回転または反転の向きです。</translation>
    </message>
    <message>
        <source>Rotate by 90 degrees clockwise.</source>
        <translation>右へ 90 度回転します。</translation>
    </message>
    <message>
        <source>Rotate by 90 degrees counter-clockwise.</source>
        <translation>左へ 90 度回転します。</translation>
    </message>
    <message>
        <source>Rotate by 180 degrees.</source>
        <translation>180 度回転します。</translation>
    </message>
    <message>
        <source>Rotate by 90 degrees clockwise and flip vertically.</source>
        <translation>右へ 90 度回転してから上下を反転します。</translation>
    </message>
    <message>
        <source>Rotate by 90 degrees counter-clockwise and flip vertically: exchanges rows and columns.</source>
        <translation>左へ 90 度回転してから上下を反転します。行が列になります。</translation>
    </message>
    <message>
        <source>Flip horizontally.</source>
        <translation>左右を反転します。</translation>
    </message>
    <message>
        <source>Flip vertically.</source>
        <translation>上下を反転します。</translation>
    </message>
    <message>
        <source>Converts bit depth, chroma subsampling, colour matrix and range.</source>
        <translation>サンプルのビット数、クロマのサンプル数、マトリクス、レンジを変換します。</translation>
    </message>
    <message>
        <source>Bit depth. Default: unchanged.</source>
        <translation>1 サンプルのビット数です。指定しなければ元のままです。</translation>
    </message>
    <message>
        <source>bits</source>
        <translation>ビット</translation>
    </message>
    <message>
        <source>Chroma</source>
        <translation>クロマ</translation>
    </message>
    <message>
        <source>Chroma subsampling. Default: unchanged.</source>
        <translation>クロマのサンプル数です。指定しなければ元のままです。</translation>
    </message>
    <message>
        <source>No chroma.</source>
        <translation>クロマはありません。</translation>
    </message>
    <message>
        <source>Half width and half height.</source>
        <translation>列も行も輝度の半分です。</translation>
    </message>
    <message>
        <source>Half width.</source>
        <translation>列だけが輝度の半分です。</translation>
    </message>
    <message>
        <source>Full resolution.</source>
        <translation>輝度と同数です。</translation>
    </message>
    <message>
        <source>Matrix</source>
        <translation>マトリクス</translation>
    </message>
    <message>
        <source>Colour matrix. Default: unchanged.</source>
        <translation>輝度とクロマを RGB から求める係数です。指定しなければ元のままです。</translation>
    </message>
    <message>
        <source>BT.601: standard definition.</source>
        <translation>標準解像度 (SD) 用です。</translation>
    </message>
    <message>
        <source>BT.709: high definition.</source>
        <translation>高解像度 (HD) 用です。</translation>
    </message>
    <message>
        <source>BT.2020: ultra high definition.</source>
        <translation>超高解像度 (UHD) 用です。</translation>
    </message>
    <message>
        <source>Range</source>
        <translation>レンジ</translation>
    </message>
    <message>
        <source>Range of code values. Default: unchanged.</source>
        <translation>黒と白を表すコード値です。指定しなければ元のままです。</translation>
    </message>
    <message>
        <source>Limited (TV) range: luma 16 to 235, chroma 16 to 240, on an 8-bit scale.</source>
        <translation>8 ビットで 16 ～ 235、クロマは 16 ～ 240 です。</translation>
    </message>
    <message>
        <source>Full (PC) range: 0 to 255, on an 8-bit scale.</source>
        <translation>8 ビットで 0 ～ 255 です。</translation>
    </message>
    <message>
        <source>Dither</source>
        <translation>ディザ</translation>
    </message>
    <message>
        <source>Dithering when the bit depth is reduced.</source>
        <translation>ビット数を減らす方法です。</translation>
    </message>
    <message>
        <source>Rounding.</source>
        <translation>サンプルごとに丸めます。</translation>
    </message>
    <message>
        <source>Ordered dithering with a 16x16 matrix; avoids banding.</source>
        <translation>16×16 サンプルのパターンで、切り上げるサンプルを決めます。バンディングが出ません。</translation>
    </message>
    <message>
        <source>Removes banding from smooth gradients.</source>
        <translation>平坦な部分の階調の段差を滑らかにします。</translation>
    </message>
    <message>
        <source>Maximum distance of the reference samples.</source>
        <translation>比較する相手のサンプルまでの最大距離です。</translation>
    </message>
    <message>
        <source>Banding detection threshold: largest difference to smooth, on an 8-bit scale.</source>
        <translation>段差とみなす差の最大値を 8 ビット換算で指定します。</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>サンプル数</translation>
    </message>
    <message>
        <source>Number of reference samples to average.</source>
        <translation>比較する相手のサンプルの数です。</translation>
    </message>
    <message>
        <source>One sample at a random position.</source>
        <translation>ランダムな位置の 1 サンプルです。</translation>
    </message>
    <message>
        <source>Two samples, opposite each other.</source>
        <translation>ランダムな位置の 1 サンプルと、その反対側の 1 サンプルです。</translation>
    </message>
    <message>
        <source>Four samples, a quarter turn apart: smoothest.</source>
        <translation>その 2 サンプルと、それらを 90 度回した位置の 2 サンプルです。最も滑らかになります。</translation>
    </message>
    <message>
        <source>Blur first</source>
        <translation>ぼかしを先に行う</translation>
    </message>
    <message>
        <source>Compares a sample with the mean of the reference samples, not with each of them.</source>
        <translation>相手のサンプルのそれぞれではなく、その平均と比較します。</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>シード</translation>
    </message>
    <message>
        <source>Seed of the random positions, which are the same in every frame.</source>
        <translation>ランダムな位置を決める値です。位置はどの画像でも同じです。</translation>
    </message>
    <message>
        <source>Sharpens edges without overshoot.</source>
        <translation>周囲の値の範囲を超えずにエッジをシャープにします。</translation>
    </message>
    <message>
        <source>Strength</source>
        <translation>強さ</translation>
    </message>
    <message>
        <source>Sharpening strength, in sixteenths.</source>
        <translation>シャープにする度合いを 16 分の 1 単位で指定します。</translation>
    </message>
    <message>
        <source>Edge detection threshold: smallest local contrast to sharpen, on an 8-bit scale.</source>
        <translation>エッジとみなす段差の最小値を 8 ビット換算で指定します。</translation>
    </message>
    <message>
        <source>Repair</source>
        <translation>修復</translation>
    </message>
    <message>
        <source>Number of repair passes, which limit samples to the range of their neighbours; 0: none.</source>
        <translation>隣接するサンプルの範囲を超えた分を戻すパスの回数です。0 では行いません。</translation>
    </message>
    <message>
        <source>Chroma strength</source>
        <translation>クロマの強さ</translation>
    </message>
    <message>
        <source>Sharpening strength of chroma at luma edges, in sixteenths. Needs 4:4:4 video.</source>
        <translation>輝度にエッジがある部分でクロマをシャープにする度合いを 16 分の 1 単位で指定します。4:4:4 だけで有効です。</translation>
    </message>
    <message>
        <source>Temporal denoiser without motion compensation, for static areas.</source>
        <translation>時間的な変化がわずかな値を平均し、ノイズを取り除きます。</translation>
    </message>
    <message>
        <source>Distance</source>
        <translation>距離</translation>
    </message>
    <message>
        <source>Temporal radius: frames before and after to average.</source>
        <translation>前後それぞれで参照する画像の数です。</translation>
    </message>
    <message>
        <source>Temporal radius: frames before and after in a block; 0: spatial only.</source>
        <translation>前後それぞれで参照する画像の数です。</translation>
    </message>
    <message>
        <source>Largest difference to average, on an 8-bit scale.</source>
        <translation>ノイズとみなす変化の最大値を 8 ビット換算で指定します。</translation>
    </message>
    <message>
        <source>Blends the outputs of two chains by a mask.</source>
        <translation>同じ画像を 2 つのフィルターの連なりで処理し、結果をマスクで合成します。</translation>
    </message>
    <message>
        <source>Mask</source>
        <translation>マスク</translation>
    </message>
    <message>
        <source>Mask, computed from the output of chain a. The result is chain a where the mask is 0 and chain b where it is full.</source>
        <translation>フィルターの連なり A の結果から、何をマスクにするかです。マスクが 0 の部分では A の画像、最大の部分では連なり B の画像になり、その間では両方を混ぜます。</translation>
    </message>
    <message>
        <source>Edges (Sobel operator).</source>
        <translation>Sobel オペレーターで検出したエッジです。</translation>
    </message>
    <message>
        <source>Luma.</source>
        <translation>明るい部分です。</translation>
    </message>
    <message>
        <source>A</source>
        <translation>A</translation>
    </message>
    <message>
        <source>First chain, shown where the mask is 0. Default: the input.</source>
        <translation>マスクが 0 の部分で使うフィルターの連なりです。指定しなければ画像をそのまま使います。</translation>
    </message>
    <message>
        <source>Second chain, shown where the mask is full. Default: the input.</source>
        <translation>マスクが最大の部分で使うフィルターの連なりです。指定しなければ画像をそのまま使います。</translation>
    </message>
    <message>
        <source>Low</source>
        <translation>下限</translation>
    </message>
    <message>
        <source>Black point: mask values up to this are 0, on an 8-bit scale.</source>
        <translation>この値以下ではマスクが 0 になります。8 ビット換算で指定します。</translation>
    </message>
    <message>
        <source>High</source>
        <translation>上限</translation>
    </message>
    <message>
        <source>White point: mask values from this on are full, on an 8-bit scale.</source>
        <translation>この値以上ではマスクが最大になります。8 ビット換算で指定します。</translation>
    </message>
    <message>
        <source>Drops the frame of each cycle that differs least from the frame before it: 24p from 30p telecine.</source>
        <translation>周期ごとに、直前の画像に最も似た 1 枚を間引きます。毎秒 30 枚は 24 枚になります。</translation>
    </message>
    <message>
        <source>Cycle</source>
        <translation>周期</translation>
    </message>
    <message>
        <source>Cycle length N: drops 1 of N frames (5: 30p to 24p).</source>
        <translation>この枚数につき 1 枚を間引きます。</translation>
    </message>
    <message>
        <source>Filters an image or an image sequence.</source>
        <translation>画像または連番画像をフィルターの連なりに通します。</translation>
    </message>
    <message>
        <source>Input image or image sequence (frame.%04d.exr, &apos;frame.####.exr&apos;, &apos;frame.*.exr&apos;); write \# and \* for these characters in a file name.</source>
        <translation>画像または連番画像です (frame.%04d.exr、&apos;frame.####.exr&apos;、&apos;frame.*.exr&apos;)。\# と \* は名前の文字そのものです。</translation>
    </message>
    <message>
        <source>Output image or image sequence; the extension selects the format.</source>
        <translation>書き出すファイルまたは連番です。形式は拡張子で決まります。</translation>
    </message>
    <message>
        <source>Chain of filters of `weft help filters`, written as in FFmpeg: crop=1024x1024,bloom=starburst.</source>
        <translation>FFmpeg の書式で、適用する順に並べたフィルターです (例: crop=1024x1024,bloom=starburst)。</translation>
    </message>
    <message>
        <source>Start position: seconds, [HH:]MM:SS, or a frame number such as 120f. Output timestamps start at 0, with the first frame at or after the position; audio and subtitles are cut there too. Default: the start of the input.</source>
        <translation>処理する部分の始まりです。秒数、[HH:]MM:SS、または 0 から数えたフレーム番号に f を付けて指定します。指定しなければ先頭からです。出力は、その位置以降の最初のフレームを時刻 0 として始まり、音声と字幕も同じように切り取られます。</translation>
    </message>
    <message>
        <source>End position (exclusive), in the format of --from. Default: the end of the input.</source>
        <translation>処理する部分の終わりです (その位置は含みません)。指定しなければ末尾までです。</translation>
    </message>
    <message>
        <source>On size change</source>
        <translation>大きさが変わるとき</translation>
    </message>
    <message>
        <source>Action if the frame size changes within the input.</source>
        <translation>入力の途中で画像の大きさが変わるときの動作です。</translation>
    </message>
    <message>
        <source>Refuse the job if the file headers show the change; otherwise fail at the frame of the change.</source>
        <translation>ファイルのヘッダーから分かればジョブを受け付けません。そうでなければジョブは失敗し、変わったフレームを示します。</translation>
    </message>
    <message>
        <source>Scale to the size of the first frame and note the change; decodes on the CPU.</source>
        <translation>以降の画像を最初の画像の大きさに拡大または縮小し、注記を残します。デコードは CPU が行います。</translation>
    </message>
    <message>
        <source>Start a new output file, numbered out.mkv, out.2.mkv ...; decodes on the CPU.</source>
        <translation>そこから別のファイルに続けます。拡張子の前に番号が付きます（out.mkv、out.2.mkv）。デコードは CPU が行います。</translation>
    </message>
    <message>
        <source>MPEG-TS program number; 0: the program with the largest frame size.</source>
        <translation>複数の番組を含む入力で、映像と音声を取り出す番組の番号です。0 では画面の最も大きい番組を使います。</translation>
    </message>
    <message>
        <source>On short input</source>
        <translation>入力が短いとき</translation>
    </message>
    <message>
        <source>Action if the input is truncated: it is shorter than its header states, or ends within a frame.</source>
        <translation>入力がコンテナーの示す長さより前で終わるか、途中で切れたフレームで終わるときの、ジョブの扱いです。</translation>
    </message>
    <message>
        <source>Process the existing frames, with a note in the result and the log.</source>
        <translation>ある部分だけを処理し、結果とログに記録します。</translation>
    </message>
    <message>
        <source>Fail the job.</source>
        <translation>ジョブを失敗とします。</translation>
    </message>
    <message>
        <source>Handling of further video streams and of streams that the output container cannot hold. An unsupported audio stream at the start of the file always refuses the job.</source>
        <translation>出力に入らないストリーム (コンテナーに入れられないものや、2 本目以降の映像) の扱いです。ファイルの先頭から始まる音声をコンテナーに入れられないジョブは拒否されます。</translation>
    </message>
    <message>
        <source>Audio</source>
        <translation>音声</translation>
    </message>
    <message>
        <source>Handling of audio; aac and flac encode every audio stream, for formats that the output container cannot hold.</source>
        <translation>音声の扱いです。aac と flac はすべての音声をエンコードし直します。出力のコンテナーに入れられない形式のために使います。</translation>
    </message>
    <message>
        <source>Copy without re-encoding.</source>
        <translation>そのままコピーします。</translation>
    </message>
    <message>
        <source>Encode to AAC.</source>
        <translation>AAC でエンコードし直します。</translation>
    </message>
    <message>
        <source>Encode to FLAC; lossless for integer samples of up to 24 bits.</source>
        <translation>FLAC でエンコードし直します。サンプルが 24 ビット以下の整数なら劣化しません。</translation>
    </message>
    <message>
        <source>Drop.</source>
        <translation>除外します。</translation>
    </message>
    <message>
        <source>Subtitles</source>
        <translation>字幕</translation>
    </message>
    <message>
        <source>Handling of subtitles.</source>
        <translation>入力の字幕の扱いです。</translation>
    </message>
    <message>
        <source>Copy.</source>
        <translation>そのままコピーします。</translation>
    </message>
    <message>
        <source>Audio stream</source>
        <translation>音声ストリーム</translation>
    </message>
    <message>
        <source>Handling of one audio stream by its index in the input, such as 2=aac; overrides --audio and may be given several times.</source>
        <translation>音声ストリーム 1 本の扱い。入力での番号で指定し、--audio に代わります（例：2=aac）。複数回指定できます。</translation>
    </message>
    <message>
        <source>Jpeg quality</source>
        <translation>JPEG 品質</translation>
    </message>
    <message>
        <source>JPEG quality (libjpeg scale); chroma is stored as 4:4:4.</source>
        <translation>JPEG 出力の品質（libjpeg の数え方）。色差はすべての画素に保存されます。</translation>
    </message>
    <message>
        <source>Motion-compensated temporal denoiser (SMDegrain): averages each block with its matches in adjacent frames.</source>
        <translation>動きに沿って粒状ノイズを取り除きます。ブロックを、前後の画像での位置にあるものと平均します。</translation>
    </message>
    <message>
        <source>Radius</source>
        <translation>半径</translation>
    </message>
    <message>
        <source>SAD threshold: blocks of a larger SAD have no weight (8x8 pixels, 8-bit scale).</source>
        <translation>SAD のしきい値です。SAD がこれを超えるブロックは使いません (8x8 画素、8 ビット換算)。</translation>
    </message>
    <message>
        <source>SAD threshold for chroma (8x8 pixels, 8-bit scale).</source>
        <translation>クロマの SAD のしきい値です (8x8 画素、8 ビット換算)。</translation>
    </message>
    <message>
        <source>Block size: 8, 16 or 32.</source>
        <translation>ブロックの一辺の画素数：8、16、32 のいずれか。</translation>
    </message>
    <message>
        <source>Block size of the motion search: 8, 16 or 32.</source>
        <translation>ブロックの一辺の画素数：8、16、32 のいずれか。</translation>
    </message>
    <message>
        <source>Overlap</source>
        <translation>重なり</translation>
    </message>
    <message>
        <source>Overlap of adjacent blocks: even, at most half of the block size. Default: half.</source>
        <translation>隣のブロックと共有する画素数。偶数で、ブロックの半分まで。指定がなければブロックの半分。</translation>
    </message>
    <message>
        <source>Motion vector precision. 1: full pixel; 2: half pixel; 4: quarter pixel.</source>
        <translation>1 画素内のベクトルの刻み：1、2、4 のいずれか。</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>探索</translation>
    </message>
    <message>
        <source>Motion search pattern.</source>
        <translation>最良の位置の周囲をどう試すか。</translation>
    </message>
    <message>
        <source>The eight neighbours, repeated while the SAD falls.</source>
        <translation>周囲の 8 か所。より良いものが見つかる限り繰り返します。</translation>
    </message>
    <message>
        <source>Hexagons of radius 2, repeated while the SAD falls, then the eight neighbours.</source>
        <translation>より良いものが見つかる限り 2 刻みの六角形、最後に周囲の 8 か所。</translation>
    </message>
    <message>
        <source>Uneven multi-hexagon (UMH): slower, for irregular motion.</source>
        <translation>まず十字と大きな六角形（UMH）。遅いものの、不規則な動きに向きます。</translation>
    </message>
    <message>
        <source>All vectors in the range: slowest.</source>
        <translation>範囲内のすべての位置。最も遅い方法です。</translation>
    </message>
    <message>
        <source>Search range: refinement steps of the patterns, distance of the exhaustive search.</source>
        <translation>繰り返しの回数、および全探索の範囲。</translation>
    </message>
    <message>
        <source>Includes chroma in the motion search.</source>
        <translation>探索で色差も考慮します。</translation>
    </message>
    <message>
        <source>Maximum change of a luma sample, on an 8-bit scale; 255: no limit.</source>
        <translation>輝度のサンプルの変化の上限（8 ビット換算）。255：上限なし。</translation>
    </message>
    <message>
        <source>Maximum change of a chroma sample, on an 8-bit scale; 255: no limit.</source>
        <translation>色差のサンプルの変化の上限です（8 ビット換算）。255：上限なし。</translation>
    </message>
    <message>
        <source>SAD above which a block counts as changed, for scene change detection (8x8 pixels, 8-bit scale).</source>
        <translation>シーンチェンジの検出で、ブロックが変わったとみなす SAD です (8x8 画素、8 ビット換算)。</translation>
    </message>
    <message>
        <source>Share of changed blocks that makes a scene change.</source>
        <translation>シーンチェンジとみなす、変わったブロックの割合です。</translation>
    </message>
    <message>
        <source>%</source>
        <translation>%</translation>
    </message>
    <message>
        <source>Binomial weights: nearer frames count more.</source>
        <translation>近い画像ほど、二項係数のとおり重く数えます。</translation>
    </message>
    <message>
        <source>Interlaced input.</source>
        <translation>インターレースの入力かどうかです。</translation>
    </message>
    <message>
        <source>As the input signals.</source>
        <translation>入力の情報に従います。</translation>
    </message>
    <message>
        <source>Interlaced: fields are filtered separately, each with fields of the same parity.</source>
        <translation>インターレースです。フィールドは別々に、同じパリティのフィールドと処理します。</translation>
    </message>
    <message>
        <source>Neural network deinterlacer (NNEDI3): interpolates the missing lines of each field.</source>
        <translation>NNEDI3 のように、エッジを知るニューラルネットワークで各フィールドの欠けたラインを作ります。</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>ネットワーク</translation>
    </message>
    <message>
        <source>Built-in network to use.</source>
        <translation>プログラム自身のどのネットワークを使うかです。</translation>
    </message>
    <message>
        <source>2,896 multiply-adds per sample; real time on a CPU in standard definition.</source>
        <translation>1 サンプルあたり積和 2,896 回です。標準解像度なら CPU でも間に合います。</translation>
    </message>
    <message>
        <source>56,480 multiply-adds per sample; best quality, for GPUs.</source>
        <translation>1 サンプルあたり積和 56,480 回で、GPU 向けです。最も良い画になります。</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>重み</translation>
    </message>
    <message>
        <source>NNEDI3 weights file (nnedi3_weights.bin) to use in place of the built-in networks.</source>
        <translation>ユーザー自身のファイル nnedi3_weights.bin です。そのネットワークがプログラム自身のものに代わって働きます。</translation>
    </message>
    <message>
        <source>With weights=FILE: window of a neuron. 0: 8x6 samples, 1: 16x6, 2: 32x6, 3: 48x6, 4: 8x4, 5: 16x4, 6: 32x4. Default: 6.</source>
        <translation>weights=FILE 用。ニューロンの窓です。0: 8x6 サンプル、1: 16x6、2: 32x6、3: 48x6、4: 8x4、5: 16x4、6: 32x4。指定がなければ 6 です。</translation>
    </message>
    <message>
        <source>With weights=FILE: number of neurons. 0: 16, 1: 32, 2: 64, 3: 128, 4: 256. Default: 1.</source>
        <translation>weights=FILE 用。ニューロンの数です。0: 16、1: 32、2: 64、3: 128、4: 256。指定がなければ 1 です。</translation>
    </message>
    <message>
        <source>With weights=FILE: number of networks to average. Default: 1.</source>
        <translation>weights=FILE 用。平均をとるネットワークの数です。指定がなければ 1 です。</translation>
    </message>
    <message>
        <source>With weights=FILE: error that the training minimized. 0: absolute, 1: squared. Default: 0.</source>
        <translation>weights=FILE 用。学習で小さくした誤差です。0: 絶対誤差、1: 二乗誤差。指定がなければ 0 です。</translation>
    </message>
    <message>
        <source>With weights=FILE: prescreener, which selects the samples for cubic interpolation. 0: none, 1: original, 2 to 4: new, level 0 to 2. Default: 2.</source>
        <translation>weights=FILE 用。易しいサンプルを 3 次補間に任せる予備選別です。0: なし、1: 旧方式、2 から 4: 新方式のレベル 0 から 2。指定がなければ 2 です。</translation>
    </message>
    <message>
        <source>Upscales by a factor of 2 with the neural network of nnedi (NNEDI3); keeps edges sharp and smooth.</source>
        <translation>nnedi のニューラルネットワークで大きさを 2 倍にします。エッジは鋭いままで、階段状になりません。</translation>
    </message>
    <message>
        <source>Progressive.</source>
        <translation>プログレッシブです。</translation>
    </message>
    <message>
        <source>Motion-compensated deinterlacer (QTGMC). Options default to the values of the preset.</source>
        <translation>動きに沿ってインターレースを解除し、静止した部分は静止したまま保ちます。QTGMC のアルゴリズムです。指定しない項目はプリセットに従います。</translation>
    </message>
    <message>
        <source>Speed/quality preset, from placebo (slowest) to draft (fastest).</source>
        <translation>速度と品質のプリセットです。placebo (最も低速) から draft (最も高速) まであります。</translation>
    </message>
    <message>
        <source>Slowest: TR2=3 and UMH motion search.</source>
        <translation>最も低速です。TR2=3 で、動きを UMH で探索します。</translation>
    </message>
    <message>
        <source>TR2=2, best network, restored grain.</source>
        <translation>TR2=2 で、最良のネットワークを使い、粒状ノイズを戻します。</translation>
    </message>
    <message>
        <source>Recommended: TR1=2, TR2=1.</source>
        <translation>推奨の設定です。TR1=2、TR2=1 です。</translation>
    </message>
    <message>
        <source>TR1=1, motion search on luma only.</source>
        <translation>TR1=1 で、動きを輝度だけで探索します。</translation>
    </message>
    <message>
        <source>Full-pixel motion vectors.</source>
        <translation>動きベクトルは画素単位です。</translation>
    </message>
    <message>
        <source>No final temporal smoothing (TR2=0).</source>
        <translation>時間方向の最後の平滑化を行いません (TR2=0)。</translation>
    </message>
    <message>
        <source>Blocks of 32x32 pixels, for 1080-line video.</source>
        <translation>ブロックは 32x32 画素です。1080 ラインの映像に向きます。</translation>
    </message>
    <message>
        <source>Smaller block overlap (8 pixels) and search range.</source>
        <translation>ブロックの重なり (8 画素) と探索範囲を減らします。</translation>
    </message>
    <message>
        <source>Square motion search, no sharpness limiting.</source>
        <translation>動きを正方形のパターンで探索し、シャープさを制限しません。</translation>
    </message>
    <message>
        <source>Interpolation by bwdif.</source>
        <translation>欠けたラインを bwdif で補間します。</translation>
    </message>
    <message>
        <source>Interpolation by bob, no sharpening; for previews.</source>
        <translation>欠けたラインを bob で補間し、シャープ化を行いません。確認用です。</translation>
    </message>
    <message>
        <source>Type of the input.</source>
        <translation>入力の種類です。</translation>
    </message>
    <message>
        <source>Interlaced (InputType 0).</source>
        <translation>インターレースです (InputType 0)。</translation>
    </message>
    <message>
        <source>Progressive with shimmer: removes shimmer, interpolates no lines (InputType 1).</source>
        <translation>ちらつきのあるプログレッシブ画像です。持続しないものを取り除きます (InputType 1)。</translation>
    </message>
    <message>
        <source>Badly deinterlaced progressive: interpolates every other line again, even and odd lines in alternate frames (InputType 2).</source>
        <translation>インターレースの解除がうまくいっていないプログレッシブ画像です。1 ラインおきに作り直し、そのラインは偶数番目と奇数番目の画像で入れ替わります (InputType 2)。</translation>
    </message>
    <message>
        <source>As repair, with even and odd lines exchanged (InputType 3).</source>
        <translation>他方のラインで同じ処理をします (InputType 3)。</translation>
    </message>
    <message>
        <source>Outputs one of N frames; 2 keeps the frame rate of the input.</source>
        <translation>この枚数につき 1 枚を出力します。2 では入力のフレームレートのままです。</translation>
    </message>
    <message>
        <source>Temporal radius of the smoothing of the search clip.</source>
        <translation>動きの探索に使うクリップの平滑化で参照する、前後それぞれのフレームの数です。</translation>
    </message>
    <message>
        <source>Temporal radius of the first motion-compensated smoothing.</source>
        <translation>動きに沿った最初の平滑化で使う、前後それぞれの画像の数です。</translation>
    </message>
    <message>
        <source>Temporal radius of the final motion-compensated smoothing, which also reduces grain.</source>
        <translation>動きに沿った最後の平滑化で使う、前後それぞれの画像の数です。粒状ノイズも取り除きます。</translation>
    </message>
    <message>
        <source>Rep0</source>
        <translation>Rep0</translation>
    </message>
    <message>
        <source>Repair of the search clip, limited to changes other than bob shimmer. 0: off; 1 to 9: erosion; 10 to 79: erosion (tens) and dilation (units).</source>
        <translation>探索用のクリップの修復です。bob によるちらつき以外の変化を戻します。0: なし、1 ～ 9: 収縮、10 ～ 79: 十の位で収縮、一の位で膨張します。</translation>
    </message>
    <message>
        <source>Rep1</source>
        <translation>Rep1</translation>
    </message>
    <message>
        <source>Repair after the first smoothing, with the values of rep0.</source>
        <translation>最初の平滑化の後の修復です。値は rep0 と同じです。</translation>
    </message>
    <message>
        <source>Rep2</source>
        <translation>Rep2</translation>
    </message>
    <message>
        <source>Repair after the final smoothing, with the values of rep0.</source>
        <translation>最後の平滑化の後の修復です。値は rep0 と同じです。</translation>
    </message>
    <message>
        <source>Applies the repairs to chroma as well.</source>
        <translation>クロマも修復します。</translation>
    </message>
    <message>
        <source>Interpolation of the missing lines.</source>
        <translation>欠けたラインを最初に作る方法です。</translation>
    </message>
    <message>
        <source>NNEDI3 neural network, from one field.</source>
        <translation>ニューラルネットワークで、そのフィールドだけから作ります。</translation>
    </message>
    <message>
        <source>The bwdif filter: motion-adaptive, from three frames.</source>
        <translation>bwdif です。上下のラインと前後のフィールドから作ります。</translation>
    </message>
    <message>
        <source>The yadif filter: edge-directed, limited by the neighbouring fields.</source>
        <translation>yadif です。エッジに沿って補間し、結果を前後のフィールドの範囲に収めます。</translation>
    </message>
    <message>
        <source>Cubic interpolation from four lines of the field.</source>
        <translation>フィールドの 4 ラインにわたる 3 次補間です。</translation>
    </message>
    <message>
        <source>Resharpening after smoothing. 0: off; 1: spatial; 2: spatial, including thin edges.</source>
        <translation>平滑化で失われたシャープさを戻す方法です。0 では戻さず、1 では周囲の値から、2 では細いエッジからも戻します。</translation>
    </message>
    <message>
        <source>Sharpness limiting. 0: off; before the final smoothing 1: spatial, 2: temporal; after it 3: spatial, 4: temporal.</source>
        <translation>シャープ化の結果を収める範囲です。0 では制限しません。1 では空間的に周囲の値、2 では時間的に前後の値の範囲に収めます。3 と 4 では、最後の平滑化の後に同じ制限を行います。</translation>
    </message>
    <message>
        <source>Radius of the sharpness limiting.</source>
        <translation>周囲をどこまで見るかです。</translation>
    </message>
    <message>
        <source>Overshoot that the temporal sharpness limiting allows, in code values on an 8-bit scale.</source>
        <translation>シャープ化がその範囲を超えてよい値の幅です (8 ビット換算)。</translation>
    </message>
    <message>
        <source>Thinning of horizontal edges; 0: off.</source>
        <translation>水平に近い線を細くする度合いです。</translation>
    </message>
    <message>
        <source>Sbb</source>
        <translation>Sbb</translation>
    </message>
    <message>
        <source>Back-blending of blurred sharpening differences. 0: off; 1: before the sharpness limiting; 2: after it; 3: both.</source>
        <translation>シャープ化による差分をぼかしたものを、再び取り除くかどうかです。0 では行わず、1 では制限の前、2 では制限の後、3 では両方で行います。</translation>
    </message>
    <message>
        <source>Blurring of the search clip. 0: off; 1: simple; 2: Gaussian; 3: Gaussian with kept edges.</source>
        <translation>探索用に画像をぼかす方法です。0 ではぼかさず、1 では単純に、2 では幅の広いガウス関数で、3 ではエッジを保ちながら 2 と同じようにぼかします。</translation>
    </message>
    <message>
        <source>Strength of the resharpening; 1 compensates for the smoothing.</source>
        <translation>シャープさを戻す度合いです。1 では平滑化で失われた分を補います。</translation>
    </message>
    <message>
        <source>Precise</source>
        <translation>精密</translation>
    </message>
    <message>
        <source>More precise detection of thin edges for s_mode 2.</source>
        <translation>細いエッジをより正確に見つけます。</translation>
    </message>
    <message>
        <source>Overlap of adjacent blocks: even, at most half of block_size.</source>
        <translation>隣のブロックと共有する画素数です。偶数で、ブロックの半分までです。</translation>
    </message>
    <message>
        <source>Motion search pattern. 0 to 2: square; 3: exhaustive; 4: hexagon; 5: uneven multi-hexagon (UMH).</source>
        <translation>動きの探し方です。0 ～ 2 では最良の位置の周囲、3 では範囲内のすべての位置を探します。4 では六角形、5 では不均等な六角形 (UMH) で探します。</translation>
    </message>
    <message>
        <source>Search range on the coarser levels, in pixels of the level.</source>
        <translation>粗い階層での探索範囲です (その階層の画素数)。</translation>
    </message>
    <message>
        <source>Sets defaults of lambda, lsad, p_new and p_level for a smoother motion field.</source>
        <translation>lambda、lsad、p_new、p_level を、隣り合うブロックのベクトルをよりそろえる既定値にします。</translation>
    </message>
    <message>
        <source>Lambda</source>
        <translation>ラムダ</translation>
    </message>
    <message>
        <source>Coherence of motion vectors: penalty added to a block&apos;s SAD, lambda/256 times the squared distance from the predictor in pixels of the level, for blocks of 8x8 pixels. Default: 100; 1000 with true_motion.</source>
        <translation>動きベクトルをそろえる強さです。8x8 画素のブロックでは、予測したベクトルからの距離 (その階層の画素) の 2 乗に lambda/256 を掛けた値を SAD に加えます。指定しなければ 100、true_motion では 1000 です。</translation>
    </message>
    <message>
        <source>SAD above which lambda is reduced, for blocks of 8x8 pixels. Default: 400; 1200 with true_motion.</source>
        <translation>SAD がこれを超えると lambda を弱めます (8x8 画素での値)。指定しなければ 400、true_motion では 1200 です。</translation>
    </message>
    <message>
        <source>Penalty for vectors that no neighbour predicts, in 256ths of the SAD. Default: 25; 50 with true_motion.</source>
        <translation>隣のブロックから予測されないベクトルにかかるコストを、SAD の 256 分の 1 単位で指定します。指定しなければ 25、true_motion では 50 です。</translation>
    </message>
    <message>
        <source>SAD threshold of the first smoothing: blocks of a larger SAD have no weight (8x8 pixels, 8-bit scale).</source>
        <translation>最初の平滑化の SAD のしきい値です。SAD がこれを超えるブロックは使いません (8x8 画素、8 ビット換算)。</translation>
    </message>
    <message>
        <source>SAD threshold of the final smoothing (8x8 pixels, 8-bit scale).</source>
        <translation>最後の平滑化の SAD のしきい値です (8x8 画素、8 ビット換算)。</translation>
    </message>
    <message>
        <source>Changed blocks that make a scene change, in 256ths of all blocks.</source>
        <translation>シーンチェンジとみなす、変わったブロックの数です。全ブロックに対する割合を 256 分の 1 単位で指定します。</translation>
    </message>
    <message>
        <source>Source matching, which brings the result closer to the source. 0: off; 1 to 3: number of refinement steps.</source>
        <translation>結果を元の画像に近づける段階の数です。0 では行いません。1 ～ 3 で指定します。</translation>
    </message>
    <message>
        <source>Temporal radius of the smoothing in the second and third step of source matching.</source>
        <translation>第 2、第 3 段階の平滑化で使う、前後それぞれの画像の数です。</translation>
    </message>
    <message>
        <source>Strength of the sharpening between the steps of source matching.</source>
        <translation>段階の間でシャープにする度合いです。</translation>
    </message>
    <message>
        <source>Lossless</source>
        <translation>ロスレス</translation>
    </message>
    <message>
        <source>Keeps the source lines unchanged. 0: off; 1: in the result; 2: before the sharpening.</source>
        <translation>1 では元のラインをそのまま出力します。2 ではシャープ化の前に元のラインに戻します。</translation>
    </message>
    <message>
        <source>Tuning</source>
        <translation>チューニング</translation>
    </message>
    <message>
        <source>Type of the source, which sets the block size.</source>
        <translation>画像の素材の種類です。</translation>
    </message>
    <message>
        <source>Blocks of 16x16 pixels, 32x32 from the preset faster on.</source>
        <translation>ブロックは 16x16 画素、プリセット faster 以降では 32x32 画素です。</translation>
    </message>
    <message>
        <source>DV in standard definition; same as none.</source>
        <translation>標準解像度の DV です。「なし」と同じです。</translation>
    </message>
    <message>
        <source>DV in high definition: blocks of 32x32 pixels.</source>
        <translation>高解像度の DV です。ブロックは 32 画素です。</translation>
    </message>
    <message>
        <source>Network of nnedi. 0, 1: fast; 2 to 4: best. With weights=FILE: number of neurons (0: 16, 1: 32, 2: 64, 3: 128, 4: 256).</source>
        <translation>欠けたラインを作るネットワークです。0 と 1 では「高速」、2 以上では「最高」を使います。重みを指定した場合はニューロンの数で、nnedi の nns と同じです。</translation>
    </message>
    <message>
        <source>With weights=FILE: window of a neuron, as nsize of nnedi. No effect on the built-in networks.</source>
        <translation>重みを指定した場合の、ニューロンの窓です。nnedi の nsize と同じです。プログラム自身のネットワークには影響しません。</translation>
    </message>
    <message>
        <source>With weights=FILE: number of networks to average. No effect on the built-in networks.</source>
        <translation>重みを指定した場合の、平均をとるネットワークの数です。プログラム自身のネットワークには影響しません。</translation>
    </message>
    <message>
        <source>Preset of the first interpolation with source matching. Default: three presets faster than the preset.</source>
        <translation>元の画像に一致させるとき、最初にどのプリセットの補間を使うかです。指定しなければ 3 段階速いプリセットです。</translation>
    </message>
    <message>
        <source>First interpolation with source matching; overrides match_preset.</source>
        <translation>元の画像に一致させるときの最初の補間を直接指定します。match_preset より優先します。</translation>
    </message>
    <message>
        <source>Interpolation in the second step of source matching; overrides match_preset2.</source>
        <translation>第 2 段階の補間を直接指定します。match_preset2 より優先します。</translation>
    </message>
    <message>
        <source>Preset of the interpolation in the second step of source matching. Default: two presets faster than match_preset.</source>
        <translation>第 2 段階でどのプリセットの補間を使うかです。指定しなければ、最初の補間より 2 段階速いプリセットです。</translation>
    </message>
    <message>
        <source>Noise processing. 0: off; 1: denoises the input and restores part of the noise; 2: restores part of the noise that smoothing removed. Default: 1 with ez_denoise; 2 with ez_keep_grain, very slow and placebo; else 0.</source>
        <translation>ノイズの扱いです。0 では何もしません。1 では取り除き、最後に一部を戻します。2 では平滑化で失われた分を戻します。指定しなければ、プリセットが「非常に低速」か「プラセボ」なら 2、ez_denoise を使えば 1、ez_keep_grain を使えば 2、それ以外は 0 です。</translation>
    </message>
    <message>
        <source>Denoises with this strength: sets noise_process to 1, sigma, and no restoration of noise. 0: off.</source>
        <translation>この強さのノイズを取り除きます。noise_process と sigma を設定し、何も戻さないようにします。0 では行いません。</translation>
    </message>
    <message>
        <source>Keeps grain with this strength, typically 1: sets noise_process to 2, sigma and the restoration of noise. 0: off.</source>
        <translation>この強さ (1 程度) の粒状ノイズを残します。noise_process、sigma、戻す量を設定します。0 では行いません。</translation>
    </message>
    <message>
        <source>Speed/quality preset of the noise processing.</source>
        <translation>ノイズの処理にかける手間です。</translation>
    </message>
    <message>
        <source>DenoiseMC, NoiseTR 2, NoiseDeint generate, StabilizeNoise.</source>
        <translation>動きに沿って 5 枚の画像を使います。欠けたラインのノイズを生成し、安定させます。</translation>
    </message>
    <message>
        <source>DenoiseMC, NoiseTR 1, NoiseDeint bob, StabilizeNoise.</source>
        <translation>動きに沿って 3 枚の画像を使います。欠けたラインのノイズを補間し、安定させます。</translation>
    </message>
    <message>
        <source>NoiseTR 1, StabilizeNoise.</source>
        <translation>3 枚の画像を使います。ノイズを安定させます。</translation>
    </message>
    <message>
        <source>NoiseTR 1.</source>
        <translation>3 枚の画像を使います。</translation>
    </message>
    <message>
        <source>NoiseTR 0: spatial denoising only.</source>
        <translation>画像ごとに単独で処理します。</translation>
    </message>
    <message>
        <source>Motion-compensated denoising.</source>
        <translation>動きに沿ってノイズを探します。</translation>
    </message>
    <message>
        <source>Temporal radius of the denoiser.</source>
        <translation>ノイズを探すために参照する、前後それぞれの画像の数です。</translation>
    </message>
    <message>
        <source>Sigma</source>
        <translation>シグマ</translation>
    </message>
    <message>
        <source>Noise strength: standard deviation of the noise in code values, on an 8-bit scale. Default: 2.</source>
        <translation>ノイズの強さです。値の標準偏差を 8 ビット換算で指定します。指定しなければ 2 です。</translation>
    </message>
    <message>
        <source>Applies the noise processing to chroma as well.</source>
        <translation>クロマのノイズも処理します。</translation>
    </message>
    <message>
        <source>Outputs the noise, amplified by this factor, in place of the picture. 0: off.</source>
        <translation>画像の代わりに、ノイズをこの倍率で強めて出力します。0 では行いません。</translation>
    </message>
    <message>
        <source>Fraction of the noise to restore before the final smoothing. Default: 0.7 with noise_process=1, 0.3 with 2, 0 with ez_denoise.</source>
        <translation>最後の平滑化の前に戻すノイズの割合です。</translation>
    </message>
    <message>
        <source>Fraction of the noise to restore after the final smoothing. Default: 0.3 with noise_process=1, 0.1 with 2, 0 with ez_denoise.</source>
        <translation>最後に戻すノイズの割合です。</translation>
    </message>
    <message>
        <source>Noise of the missing lines.</source>
        <translation>欠けたラインのノイズをどこから得るかです。</translation>
    </message>
    <message>
        <source>Noise of the next field.</source>
        <translation>次のフィールドのノイズを使います。</translation>
    </message>
    <message>
        <source>Interpolated from the lines of the field: softer.</source>
        <translation>フィールドのラインの間を補間します。より柔らかくなります。</translation>
    </message>
    <message>
        <source>New grain of the local strength.</source>
        <translation>周囲と同じ強さの粒状ノイズを新しく作ります。</translation>
    </message>
    <message>
        <source>Stabilizes the restored noise along motion.</source>
        <translation>動きに沿ってノイズを安定させます。</translation>
    </message>
    <message>
        <source>Motion blur. 0: off; 1: with the vectors of the motion search; 2, 3: with blocks of half and a quarter of the size.</source>
        <translation>シャッターをより長く開いたときのように、動くものをぼかします。0 ではぼかさず、1 では探索のブロック、2 と 3 ではその 2 分の 1 と 4 分の 1 の大きさのブロックの動きに沿ってぼかします。</translation>
    </message>
    <message>
        <source>Shutter angle of the source, relative to the duration of a field.</source>
        <translation>元の映像でシャッターが開いていた長さを、1 フィールドの時間を 360 度とする角度で指定します。</translation>
    </message>
    <message>
        <source>Shutter angle of the output, relative to the duration of an output frame.</source>
        <translation>出力でシャッターが開いている長さを、画像 1 枚の時間に対する角度で指定します。fps_divisor が 2 なら、同じ角度でも 2 倍の長さになります。</translation>
    </message>
    <message>
        <source>Motion below this length is blurred less. 0: no reduction.</source>
        <translation>動きがこれより小さいものは、ぼかしを弱めます。0 ではすべてを完全にぼかします。</translation>
    </message>
    <message>
        <source>Sub-pixel interpolation of the motion search. 0: bilinear; 1: bicubic (four taps); 2: Wiener filter (six taps).</source>
        <translation>画素間のサンプルの補間方法です。0: バイリニア、1: バイキュービック (4 タップ)、2: ウィーナーフィルター (6 タップ)。</translation>
    </message>
    <message>
        <source>Search range on the finest level, in steps of sub_pel.</source>
        <translation>最も細かい階層での探索範囲です (sub_pel の刻み)。粗い階層の範囲は search_param で指定します。</translation>
    </message>
    <message>
        <source>Scaling of lambda on the coarser levels. 0: none; 1: by the scale of the level; 2: by its square. Default: 0; 1 with true_motion.</source>
        <translation>粗い階層での lambda の倍率です。0: なし、1: 階層の縮尺、2: その 2 乗。指定しなければ 0、true motion では 1 です。</translation>
    </message>
    <message>
        <source>Searches motion in 8-bit frames when the input has more bits.</source>
        <translation>入力が 8 ビットを超えるとき、8 ビットの画像で動きを探索します。</translation>
    </message>
    <message>
        <source>Wider search_param for search 4 and 5: 24 up to the preset slow, 16 from medium to very fast.</source>
        <translation>探索方法 4 と 5 の search_param を広げます。プリセット slow までは 24、medium から very fast までは 16 です。</translation>
    </message>
    <message>
        <source>Refines the motion vectors with blocks of half the size. Needs a block_size of 16 or 32.</source>
        <translation>得られたベクトルから、半分の大きさのブロックで再び探索します。block_size は 16 または 32 が必要です。</translation>
    </message>
    <message>
        <source>Interpolation of the missing lines of chroma. Default: that of luma.</source>
        <translation>クロマの欠けたラインの補間方法です。指定しなければルマと同じです。</translation>
    </message>
    <message>
        <source>Frequency-domain denoiser (as DFTTest and FFT3DFilter), with blocks of 16x16 samples of one or several frames.</source>
        <translation>1 枚または複数の画像にわたる 16x16 サンプルのブロックの周波数成分のうち、弱いものをノイズとして取り除きます。</translation>
    </message>
    <message>
        <source>Noise strength: standard deviation of the noise in code values, on an 8-bit scale.</source>
        <translation>ノイズの強さです。値の標準偏差を 8 ビット換算で指定します。</translation>
    </message>
    <message>
        <source>Denoises chroma as well.</source>
        <translation>クロマのノイズも取り除きます。</translation>
    </message>
    <message>
        <source>Border</source>
        <translation>上下の縁取り</translation>
    </message>
    <message>
        <source>Pads the frame with mirrored rows during processing, which improves the outermost rows.</source>
        <translation>処理中だけ画像の上下に鏡像の行を足し、端の行にも隣接する行があるようにします。</translation>
    </message>
    <message>
        <source>With input_type repair: SAD mask that keeps the luma of well-matched blocks; larger values keep more. 0: off. Default: 10; 0 from the preset fast on.</source>
        <translation>修復時に、動きがこの程度まで合うブロックの輝度を、合うほど多く元のまま残します。0 では残しません。指定しなければ 10、プリセット fast 以降では 0 です。</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>種類</translation>
    </message>
    <message>
        <source>Content of the texture (colours, normals, a mask); selects the network and the encoding.</source>
        <translation>テクスチャの種類です。</translation>
    </message>
    <message>
        <source>Colours (albedo, base colour).</source>
        <translation>色。</translation>
    </message>
    <message>
        <source>Normal map: x, y, z in red, green, blue; x and y only in BC5.</source>
        <translation>法線: 赤、緑、青に x、y、z。BC5 では x と y。</translation>
    </message>
    <message>
        <source>Independent channels, such as ORM, roughness or metalness.</source>
        <translation>粗さや金属度のように、互いに関係のないチャンネル。</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>モデル</translation>
    </message>
    <message>
        <source>Upscaling method: a large or small neural network, or none (Lanczos3 with back-projection).</source>
        <translation>拡大の方法です。</translation>
    </message>
    <message>
        <source>Lanczos3 with back-projection, no network.</source>
        <translation>ネットワークなし: 逆投影を伴う Lanczos3。</translation>
    </message>
    <message>
        <source>Neural network of 14 layers and 64 channels, one per texture type: sharpest.</source>
        <translation>その種類のテクスチャで訓練した、64 チャンネル 14 層のネットワーク: より鮮明で、法線で効果が最も大きい。</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>形式</translation>
    </message>
    <message>
        <source>Compression format. Default: that of the input; BC3 for BC2, BC7 for images.</source>
        <translation>出力の保存形式。指定がなければ入力と同じ。BC2 は BC3、画像は BC7 になります。</translation>
    </message>
    <message>
        <source>Colours with or without alpha; 8 bits per texel.</source>
        <translation>アルファの有無を問わない色。テクセルあたり 8 ビット。</translation>
    </message>
    <message>
        <source>Colours with 1-bit alpha; 4 bits per texel.</source>
        <translation>色と穴。テクセルあたり 4 ビット。</translation>
    </message>
    <message>
        <source>BC1 colours with alpha; 8 bits per texel.</source>
        <translation>BC1 と同じ色とアルファ。テクセルあたり 8 ビット。</translation>
    </message>
    <message>
        <source>Red only; 4 bits per texel.</source>
        <translation>赤のみ。テクセルあたり 4 ビット。</translation>
    </message>
    <message>
        <source>Red and green only, such as x and y of normals; 8 bits per texel.</source>
        <translation>赤と緑のみ (法線の x と y など)。テクセルあたり 8 ビット。</translation>
    </message>
    <message>
        <source>Uncompressed; 32 bits per texel.</source>
        <translation>ブロックなし。テクセルあたり 32 ビット。</translation>
    </message>
    <message>
        <source>Quality</source>
        <translation>品質</translation>
    </message>
    <message>
        <source>Compression effort.</source>
        <translation>圧縮にかける手間です。</translation>
    </message>
    <message>
        <source>Fast: for BC7 modes 5 and 6, and for blocks with alpha also mode 7.</source>
        <translation>BC7 のモード 5 と 6、アルファがあれば 7 も。</translation>
    </message>
    <message>
        <source>All modes, with the most promising partitions.</source>
        <translation>すべてのモードと、最も有望なパーティション。</translation>
    </message>
    <message>
        <source>All modes, with more partitions and a longer search.</source>
        <translation>より多くのパーティションと、それぞれのより長い探索。</translation>
    </message>
    <message>
        <source>Generates mip maps.</source>
        <translation>ミップマップを生成します。</translation>
    </message>
    <message>
        <source>Levels</source>
        <translation>レベル</translation>
    </message>
    <message>
        <source>Smaller mip levels: keep those of the input or generate them.</source>
        <translation>小さいミップレベルです。入力のものを使うか、生成します。</translation>
    </message>
    <message>
        <source>Levels of the input, byte for byte if the format is unchanged; missing levels are generated.</source>
        <translation>入力自身のレベル。形式が同じならバイト単位でそのまま使い、足りないものは作ります。</translation>
    </message>
    <message>
        <source>Generate each level from the next larger level.</source>
        <translation>それぞれを 1 つ上のレベルから作ります。</translation>
    </message>
    <message>
        <source>Addressing outside the texture.</source>
        <translation>テクスチャの外側の参照方法です。</translation>
    </message>
    <message>
        <source>Wrap: the texture tiles.</source>
        <translation>繰り返し。反対側の端に続きます。</translation>
    </message>
    <message>
        <source>Clamp: repeated edge texels.</source>
        <translation>端のテクセルを繰り返します。</translation>
    </message>
    <message>
        <source>Mirror.</source>
        <translation>鏡像です。</translation>
    </message>
    <message>
        <source>Supercompression</source>
        <translation>超圧縮</translation>
    </message>
    <message>
        <source>Supercompression of KTX2 files.</source>
        <translation>KTX2 ファイルの圧縮です。</translation>
    </message>
    <message>
        <source>Uncompressed.</source>
        <translation>圧縮しません。</translation>
    </message>
    <message>
        <source>Zstandard.</source>
        <translation>Zstandard で圧縮します。</translation>
    </message>
    <message>
        <source>Upscales textures by a factor of 2 and compresses them (BC1 to BC7).</source>
        <translation>テクスチャを2倍の大きさにし、ブロックで保存します。</translation>
    </message>
    <message>
        <source>Output file, .dds or .ktx2. For several inputs use &apos;folder/*.dds&apos;, where * stands for the input&apos;s name without extension. &apos;folder/*&apos; keeps the format of each input; images become DDS.</source>
        <translation>書き込むファイル：.dds または .ktx2。複数なら &apos;folder/*.dds&apos; で、* は拡張子を除いた入力の名前です。拡張子がなければ入力と同じ、画像なら .dds になります。</translation>
    </message>
    <message>
        <source>By file name: _n, _nrm, _normal: normal; _mask, _rough, _metal, _ao ...: mask; else albedo.</source>
        <translation>ファイル名によります。_n、_nrm、_normal は法線、_mask、_rough、_metal、_ao などはマスク、それ以外はアルベドです。</translation>
    </message>
    <message>
        <source>Red only, signed (-1 to 1); 4 bits per texel.</source>
        <translation>赤のみ、-1 から 1。1テクセル4ビット。</translation>
    </message>
    <message>
        <source>Red and green only, signed (-1 to 1); 8 bits per texel.</source>
        <translation>赤と緑のみ、-1 から 1。1テクセル8ビット。</translation>
    </message>
    <message>
        <source>File</source>
        <translation>ファイル</translation>
    </message>
    <message>
        <source>Names of the files to process, of several inputs. Default: all.</source>
        <translation>複数の入力のうち対象とするものの名前。指定がなければすべて。</translation>
    </message>
    <message>
        <source>Edge-preserving smoothing (bilateral filter).</source>
        <translation>面を滑らかにし、輪郭は残します。</translation>
    </message>
    <message>
        <source>Spatial standard deviation.</source>
        <translation>どこまで離れたサンプルを平均するか。重みの標準偏差です。</translation>
    </message>
    <message>
        <source>Range standard deviation, as a fraction of the full range of values.</source>
        <translation>値がどこまで違ってよいか。全範囲に対する割合で、重みの標準偏差です。</translation>
    </message>
    <message>
        <source>Implementation.</source>
        <translation>計算の方法です。</translation>
    </message>
    <message>
        <source>Bilateral grid (Paris and Durand): fast at any sigma.</source>
        <translation>位置と値の粗いグリッド上で計算します（Paris と Durand）。幅によらず高速です。</translation>
    </message>
    <message>
        <source>Exact: slow at a large sigma.</source>
        <translation>サンプルごとに正確に計算します。幅が大きいと遅くなります。</translation>
    </message>
    <message>
        <source>Texture (DDS, KTX2), image (PNG, JPEG, TGA, TIFF), folder or pattern such as &apos;folder/*.dds&apos;. A literal star is written \*.</source>
        <translation>テクスチャ（DDS、KTX2）または画像（PNG、JPEG、TGA、TIFF）。複数ならフォルダー、または &apos;folder/*.dds&apos;。名前に含まれる * は \* と書きます。</translation>
    </message>
    <message>
        <source>Runs benchmarks on a device and checks their results.</source>
        <translation>デバイスでベンチマークを実行し、結果を検査します。</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名前</translation>
    </message>
    <message>
        <source>Benchmark to run; may be given several times. Default: all.</source>
        <translation>測るもの。複数指定できます。指定がなければすべてです。</translation>
    </message>
    <message>
        <source>Stream compaction: the nonzero entries, in order.</source>
        <translation>ストリームコンパクション。0 でない要素を順序どおりに集めます。</translation>
    </message>
    <message>
        <source>Matrix-vector product.</source>
        <translation>行列とベクトルの積。</translation>
    </message>
    <message>
        <source>Matrix product.</source>
        <translation>行列と行列の積。</translation>
    </message>
    <message>
        <source>Vector addition, and copies on the device and to and from the host.</source>
        <translation>ベクトルの加算とコピー。デバイス上と、ホストとの間。</translation>
    </message>
    <message>
        <source>N-body gravity, all pairs.</source>
        <translation>すべての粒子の間に働く重力。</translation>
    </message>
    <message>
        <source>Bilateral filter, direct and by a bilateral grid.</source>
        <translation>バイラテラルフィルター。サンプルごと、およびグリッド上。</translation>
    </message>
    <message>
        <source>1D FFT in shared memory, with several radix sequences and layouts.</source>
        <translation>共有メモリーでの行の変換。基数の列とデータの配置を変えて測ります。</translation>
    </message>
    <message>
        <source>Many small kernels: separate, batched and fused.</source>
        <translation>多数の小さなカーネル。1 つずつ、まとめて、融合して。</translation>
    </message>
    <message>
        <source>Sum of a vector.</source>
        <translation>ベクトルの総和。</translation>
    </message>
    <message>
        <source>Sum of absolute differences of bytes, scalar and packed.</source>
        <translation>バイトの差の絶対値の総和。1 つずつ、および詰めて。</translation>
    </message>
    <message>
        <source>Video and image filters, as in jobs.</source>
        <translation>動画と画像のフィルター。ジョブと同じように実行します。</translation>
    </message>
    <message>
        <source>Hardware limits: copy bandwidth, fp32 and tensor core throughput.</source>
        <translation>デバイスの上限。コピー、fp32、Tensor コア。</translation>
    </message>
    <message>
        <source>Problem size: 4096, 2^24, 1920x1080; may be given several times. Default: the sizes of each benchmark.</source>
        <translation>ベンチマーク既定の代わりに使うサイズ（4096、2^24、1920x1080 など）。複数指定できます。</translation>
    </message>
    <message>
        <source>Variant</source>
        <translation>方式</translation>
    </message>
    <message>
        <source>Variant to run; may be given several times. Default: all.</source>
        <translation>方式。複数指定できます。指定がなければすべてです。</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>回数</translation>
    </message>
    <message>
        <source>Timed runs of each case, after a warm-up.</source>
        <translation>ウォームアップの後、各ケースを計測する回数です。</translation>
    </message>
    <message>
        <source>Finds the fastest launch configuration of each kernel on a device.</source>
        <translation>各カーネルについて、デバイスで最も速い起動設定を探します。</translation>
    </message>
    <message>
        <source>Kernel to tune, by its name or a prefix of names; may be given several times. Default: all kernels.</source>
        <translation>調整するカーネルの名前、またはその先頭部分です。複数指定できます。指定がなければすべてのカーネルです。</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>フィルター</translation>
    </message>
    <message>
        <source>Tune the kernels of this filter; may be given several times.</source>
        <translation>カーネルを調整するフィルター。複数指定できます。</translation>
    </message>
    <message>
        <source>Again</source>
        <translation>再調整</translation>
    </message>
    <message>
        <source>Tune kernels again that already have a result.</source>
        <translation>結果がすでにあるカーネルも調整し直します。</translation>
    </message>
    <message>
        <source>Scheduling class; upsample and tune jobs default to spare.</source>
        <translation>ジョブの緊急度。指定がなければ upsample と tune のジョブは spare になります。</translation>
    </message>
    <message>
        <source>Small neural network that outputs BC7, BC1 or BC5 blocks directly, with a fraction of the operations of large.</source>
        <translation>小さなネットワークが BC7 の各ブロックそのものを、large のごく一部の計算量で作ります。</translation>
    </message>
    <message>
        <source>Check</source>
        <translation>検査</translation>
    </message>
    <message>
        <source>Handling of textures that the network degrades: shifted colours or visible block edges.</source>
        <translation>ネットワークが損なったテクスチャ（色がずれる、またはブロックが目立つもの）をどう扱うか。</translation>
    </message>
    <message>
        <source>No check.</source>
        <translation>何も検査しません。</translation>
    </message>
    <message>
        <source>Report degraded textures with the reason.</source>
        <translation>どれがなぜそうなのかを結果に記します。</translation>
    </message>
    <message>
        <source>Degraded textures are upscaled again by Lanczos3 in place of the neural network, and reported with the reason.</source>
        <translation>ネットワークを使わずに作り直し、どれがなぜそうなのかを結果に記します。</translation>
    </message>
    <message>
        <source>Exceptions</source>
        <translation>例外</translation>
    </message>
    <message>
        <source>File of textures to upscale without a network: per line a name or a pattern, then the reason. &apos;weft show --exceptions JOB&apos; prints such lines.</source>
        <translation>ネットワークで作らないテクスチャの表です。各行に名前またはパターン、続けて理由を書きます。「weft show --exceptions JOB」がその行を出力します。</translation>
    </message>
    <message>
        <source>Gloss</source>
        <translation>光沢</translation>
    </message>
    <message>
        <source>Normal maps: stores in alpha the gloss that the new level gains over the next smaller level.</source>
        <translation>法線用。新しいレベルが一つ下のレベルに対して得る光沢をアルファに格納します。</translation>
    </message>
    <message>
        <source>Mip light</source>
        <translation>ミップの光</translation>
    </message>
    <message>
        <source>Averaging of sRGB colours for smaller mip levels.</source>
        <translation>sRGB 形式の色を小さいレベルへ平均する方法を設定します。</translation>
    </message>
    <message>
        <source>In linear light: sRGB is decoded, averaged and encoded.</source>
        <translation>線形光として平均します。sRGB の符号を復号し、平均して、再び符号化します。</translation>
    </message>
    <message>
        <source>Stored code values.</source>
        <translation>格納された符号のまま平均します。</translation>
    </message>
    <message>
        <source>Transfer</source>
        <translation>伝達関数</translation>
    </message>
    <message>
        <source>Transfer function of colours (albedo) for inputs that do not state it: images (default: sRGB) and DDS files with an old header.</source>
        <translation>伝達関数が書かれていない入力の色 (--kind albedo) の伝達関数を設定します。対象は画像 (指定がなければ sRGB) と、旧ヘッダーの DDS ファイルです。</translation>
    </message>
    <message>
        <source>The sRGB transfer function.</source>
        <translation>sRGB です。</translation>
    </message>
    <message>
        <source>Linear: code values are proportional to light.</source>
        <translation>なし。符号は値に比例します。</translation>
    </message>
    <message>
        <source>Program</source>
        <translation>番組</translation>
    </message>
    <message>
        <source>CRF</source>
        <translation>CRF</translation>
    </message>
    <message>
        <source>Constant quality: 0 to 51 for x264 (default 23) and x265 (default 28), 1 to 63 for svt-av1 (default 35). A smaller value gives a better picture and a larger file.</source>
        <translation>固定品質です。x264 (既定 23) と x265 (既定 28) では 0 ～ 51、svt-av1 (既定 35) では 1 ～ 63 です。小さいほど画質が良く、ファイルは大きくなります。</translation>
    </message>
    <message>
        <source>Bit rate</source>
        <translation>Bit rate</translation>
    </message>
    <message>
        <source>Average bit rate of the video in place of a constant quality, for x264, x265, svt-av1 and NVENC. NVENC defaults to 2000.</source>
        <translation>固定品質の代わりに使う映像の平均ビットレートです。x264、x265、svt-av1、NVENC (既定 2000) で有効です。</translation>
    </message>
    <message>
        <source>kbit/s</source>
        <translation>kbit/s</translation>
    </message>
    <message>
        <source>Passes</source>
        <translation>パス数</translation>
    </message>
    <message>
        <source>Passes over the video. 2, with a bit rate, for x264 and x265: the first pass measures all segments, and the second gives each picture the bits that it needs, so that the average holds over the whole file.</source>
        <translation>映像を処理する回数です。2 はビットレートを指定した x264 と x265 で使えます。1 回目で全セグメントを計測し、2 回目で各画像に必要なビットを割り当てるため、平均ビットレートがファイル全体で守られます。</translation>
    </message>
    <message>
        <source>passes</source>
        <translation>パス</translation>
    </message>
    <message>
        <source>Encoder preset</source>
        <translation>エンコーダーのプリセット</translation>
    </message>
    <message>
        <source>Speed against compression: ultrafast to placebo for x264 and x265 (default medium), 0 (slowest) to 13 for svt-av1 (default 10), p1 (fastest) to p7 for NVENC (default p4).</source>
        <translation>速度と圧縮率のどちらを優先するかです。x264 と x265 では ultrafast ～ placebo (既定 medium)、svt-av1 では 0 (最も低速) ～ 13 (既定 10)、NVENC では p1 (最も高速) ～ p7 (既定 p4) です。</translation>
    </message>
    <message>
        <source>Left</source>
        <translation>左</translation>
    </message>
    <message>
        <source>Top</source>
        <translation>上</translation>
    </message>
    <message>
        <source>Direction</source>
        <translation>向き</translation>
    </message>
    <message>
        <source>Bit depth</source>
        <translation>ビット深度</translation>
    </message>
    <message>
        <source>tr</source>
        <translation>tr</translation>
    </message>
    <message>
        <source>thSAD</source>
        <translation>thSAD</translation>
    </message>
    <message>
        <source>thSADC</source>
        <translation>thSADC</translation>
    </message>
    <message>
        <source>blksize</source>
        <translation>blksize</translation>
    </message>
    <message>
        <source>overlap</source>
        <translation>overlap</translation>
    </message>
    <message>
        <source>pel</source>
        <translation>pel</translation>
    </message>
    <message>
        <source>search</source>
        <translation>search</translation>
    </message>
    <message>
        <source>searchparam</source>
        <translation>searchparam</translation>
    </message>
    <message>
        <source>chroma</source>
        <translation>chroma</translation>
    </message>
    <message>
        <source>limit</source>
        <translation>limit</translation>
    </message>
    <message>
        <source>limitC</source>
        <translation>limitC</translation>
    </message>
    <message>
        <source>thSCD1</source>
        <translation>thSCD1</translation>
    </message>
    <message>
        <source>thSCD2 (%)</source>
        <translation>thSCD2 (%)</translation>
    </message>
    <message>
        <source>binomial</source>
        <translation>binomial</translation>
    </message>
    <message>
        <source>interlaced</source>
        <translation>interlaced</translation>
    </message>
    <message>
        <source>nsize</source>
        <translation>nsize</translation>
    </message>
    <message>
        <source>nns</source>
        <translation>nns</translation>
    </message>
    <message>
        <source>qual</source>
        <translation>qual</translation>
    </message>
    <message>
        <source>etype</source>
        <translation>etype</translation>
    </message>
    <message>
        <source>pscrn</source>
        <translation>pscrn</translation>
    </message>
    <message>
        <source>InputType</source>
        <translation>InputType</translation>
    </message>
    <message>
        <source>FPSDivisor</source>
        <translation>FPSDivisor</translation>
    </message>
    <message>
        <source>TR0</source>
        <translation>TR0</translation>
    </message>
    <message>
        <source>TR1</source>
        <translation>TR1</translation>
    </message>
    <message>
        <source>TR2</source>
        <translation>TR2</translation>
    </message>
    <message>
        <source>RepChroma</source>
        <translation>RepChroma</translation>
    </message>
    <message>
        <source>EdiMode</source>
        <translation>EdiMode</translation>
    </message>
    <message>
        <source>SMode</source>
        <translation>SMode</translation>
    </message>
    <message>
        <source>SLMode</source>
        <translation>SLMode</translation>
    </message>
    <message>
        <source>SLRad</source>
        <translation>SLRad</translation>
    </message>
    <message>
        <source>SOvs</source>
        <translation>SOvs</translation>
    </message>
    <message>
        <source>SVThin</source>
        <translation>SVThin</translation>
    </message>
    <message>
        <source>SrchClipPP</source>
        <translation>SrchClipPP</translation>
    </message>
    <message>
        <source>SubPel</source>
        <translation>SubPel</translation>
    </message>
    <message>
        <source>BlockSize</source>
        <translation>BlockSize</translation>
    </message>
    <message>
        <source>SearchParam</source>
        <translation>SearchParam</translation>
    </message>
    <message>
        <source>ChromaMotion</source>
        <translation>ChromaMotion</translation>
    </message>
    <message>
        <source>TrueMotion</source>
        <translation>TrueMotion</translation>
    </message>
    <message>
        <source>LSAD</source>
        <translation>LSAD</translation>
    </message>
    <message>
        <source>PNew</source>
        <translation>PNew</translation>
    </message>
    <message>
        <source>ThSAD1</source>
        <translation>ThSAD1</translation>
    </message>
    <message>
        <source>ThSAD2</source>
        <translation>ThSAD2</translation>
    </message>
    <message>
        <source>ThSCD1</source>
        <translation>ThSCD1</translation>
    </message>
    <message>
        <source>ThSCD2</source>
        <translation>ThSCD2</translation>
    </message>
    <message>
        <source>SourceMatch</source>
        <translation>SourceMatch</translation>
    </message>
    <message>
        <source>MatchTR2</source>
        <translation>MatchTR2</translation>
    </message>
    <message>
        <source>MatchEnhance</source>
        <translation>MatchEnhance</translation>
    </message>
    <message>
        <source>NNeurons</source>
        <translation>NNeurons</translation>
    </message>
    <message>
        <source>NNSize</source>
        <translation>NNSize</translation>
    </message>
    <message>
        <source>EdiQual</source>
        <translation>EdiQual</translation>
    </message>
    <message>
        <source>MatchPreset</source>
        <translation>MatchPreset</translation>
    </message>
    <message>
        <source>MatchEdi</source>
        <translation>MatchEdi</translation>
    </message>
    <message>
        <source>MatchPreset2</source>
        <translation>MatchPreset2</translation>
    </message>
    <message>
        <source>MatchEdi2</source>
        <translation>MatchEdi2</translation>
    </message>
    <message>
        <source>ProgSADMask</source>
        <translation>ProgSADMask</translation>
    </message>
    <message>
        <source>NoiseProcess</source>
        <translation>NoiseProcess</translation>
    </message>
    <message>
        <source>EZDenoise</source>
        <translation>EZDenoise</translation>
    </message>
    <message>
        <source>EZKeepGrain</source>
        <translation>EZKeepGrain</translation>
    </message>
    <message>
        <source>NoisePreset</source>
        <translation>NoisePreset</translation>
    </message>
    <message>
        <source>DenoiseMC</source>
        <translation>DenoiseMC</translation>
    </message>
    <message>
        <source>NoiseTR</source>
        <translation>NoiseTR</translation>
    </message>
    <message>
        <source>ChromaNoise</source>
        <translation>ChromaNoise</translation>
    </message>
    <message>
        <source>ShowNoise</source>
        <translation>ShowNoise</translation>
    </message>
    <message>
        <source>GrainRestore</source>
        <translation>GrainRestore</translation>
    </message>
    <message>
        <source>NoiseRestore</source>
        <translation>NoiseRestore</translation>
    </message>
    <message>
        <source>NoiseDeint</source>
        <translation>NoiseDeint</translation>
    </message>
    <message>
        <source>StabilizeNoise</source>
        <translation>StabilizeNoise</translation>
    </message>
    <message>
        <source>ShutterBlur</source>
        <translation>ShutterBlur</translation>
    </message>
    <message>
        <source>ShutterAngleSrc</source>
        <translation>ShutterAngleSrc</translation>
    </message>
    <message>
        <source>ShutterAngleOut</source>
        <translation>ShutterAngleOut</translation>
    </message>
    <message>
        <source>SBlurLimit</source>
        <translation>SBlurLimit</translation>
    </message>
    <message>
        <source>SubPelInterp</source>
        <translation>SubPelInterp</translation>
    </message>
    <message>
        <source>PelSearch</source>
        <translation>PelSearch</translation>
    </message>
    <message>
        <source>PLevel</source>
        <translation>PLevel</translation>
    </message>
    <message>
        <source>FastMA</source>
        <translation>FastMA</translation>
    </message>
    <message>
        <source>ESearchP</source>
        <translation>ESearchP</translation>
    </message>
    <message>
        <source>RefineMotion</source>
        <translation>RefineMotion</translation>
    </message>
    <message>
        <source>ChromaEdi</source>
        <translation>ChromaEdi</translation>
    </message>
    <message>
        <source>Mip maps</source>
        <translation>ミップマップ</translation>
    </message>
    <message>
        <source>Hash</source>
        <translation>ハッシュ</translation>
    </message>
    <message>
        <source>Compute the SHA-256 of each output for the result of the job.</source>
        <translation>各出力の SHA-256 を計算し、ジョブの結果に記録します。</translation>
    </message>
    <message>
        <source>Work dir</source>
        <translation>作業フォルダー</translation>
    </message>
    <message>
        <source>Existing folder for segments and unfinished outputs; a finished output is copied from there to another file system and verified. Default: the daemon&apos;s work_dir, or the folder of the output.</source>
        <translation>セグメントと未完成の出力を置く既存のフォルダー。完成した出力は、別のファイルシステムへはここからコピーして検証します。既定は、デーモンの work_dir、または出力のフォルダーです。</translation>
    </message>
    <message>
        <source>Decisions</source>
        <translation>判定</translation>
    </message>
    <message>
        <source>File with the decisions of the filters&apos; analyses, used in place of measurements. A job with an output *.json writes such a file.</source>
        <translation>測定の代わりに使う、フィルターの解析の判定のファイル。出力が *.json のジョブがこのファイルを書きます。</translation>
    </message>
    <message>
        <source>Inverse telecine: restores 24p film from telecined video, with the decisions of FFmpeg&apos;s fieldmatch and decimate.</source>
        <translation>逆テレシネ。テレシネされた映像から毎秒 24 枚の映画を復元します。判定は FFmpeg の fieldmatch と decimate と同じです。</translation>
    </message>
    <message>
        <source>Order</source>
        <translation>フィールドの順序</translation>
    </message>
    <message>
        <source>Field</source>
        <translation>フィールド</translation>
    </message>
    <message>
        <source>Field that is kept from each frame; auto: the first one in time.</source>
        <translation>各画像から残すフィールド。auto は時間的に先のフィールド。</translation>
    </message>
    <message>
        <source>Matches to compare.</source>
        <translation>比較する組み合わせ。</translation>
    </message>
    <message>
        <source>Two matches (p, c).</source>
        <translation>2 通り (p、c)。</translation>
    </message>
    <message>
        <source>Two matches (p, c), and n if the result is combed.</source>
        <translation>2 通り (p、c)。結果に櫛状の縞があれば n も。</translation>
    </message>
    <message>
        <source>Two matches (p, c), and u if the result is combed.</source>
        <translation>2 通り (p、c)。結果に櫛状の縞があれば u も。</translation>
    </message>
    <message>
        <source>Two matches (p, c), and n, u, b if the result is combed.</source>
        <translation>2 通り (p、c)。結果に櫛状の縞があれば n、u、b も。</translation>
    </message>
    <message>
        <source>Three matches (p, c, n).</source>
        <translation>3 通り (p、c、n)。</translation>
    </message>
    <message>
        <source>Three matches (p, c, n), and u, b if the result is combed.</source>
        <translation>3 通り (p、c、n)。結果に櫛状の縞があれば u、b も。</translation>
    </message>
    <message>
        <source>Combmatch</source>
        <translation>縞の検査</translation>
    </message>
    <message>
        <source>Selects the frames that are checked for combing, and matched again if they are combed.</source>
        <translation>櫛状の縞を検査する画像。縞があれば組み合わせを選び直します。</translation>
    </message>
    <message>
        <source>No frame.</source>
        <translation>どの画像も検査しません。</translation>
    </message>
    <message>
        <source>Frames next to a scene change.</source>
        <translation>場面転換に隣り合う画像。</translation>
    </message>
    <message>
        <source>Post</source>
        <translation>後処理</translation>
    </message>
    <message>
        <source>Treatment of frames that combmatch finds combed after matching.</source>
        <translation>組み合わせの後も縞があると combmatch が判定した画像の扱い。</translation>
    </message>
    <message>
        <source>Combed frames remain combed.</source>
        <translation>縞のある画像をそのまま残します。</translation>
    </message>
    <message>
        <source>Combed frames are deinterlaced by bwdif&apos;s interpolation, at one picture per frame.</source>
        <translation>縞のある画像を bwdif の補間でインターレース解除します。1 枚から 1 枚を作ります。</translation>
    </message>
    <message>
        <source>Cycle length N: drops 1 of N frames (5: 30p to 24p); 0 drops none.</source>
        <translation>周期の長さ N。N 枚から 1 枚を間引きます (5 なら毎秒 30 枚が 24 枚)。0 なら間引きません。</translation>
    </message>
    <message>
        <source>Mchroma</source>
        <translation>色差の比較</translation>
    </message>
    <message>
        <source>Compares matches by chroma as well as luma.</source>
        <translation>組み合わせを輝度だけでなく色差でも比較します。</translation>
    </message>
    <message>
        <source>Y0</source>
        <translation>除外範囲の始め (Y0)</translation>
    </message>
    <message>
        <source>First row of a band that is excluded from the comparison of matches; no band if y0 and y1 are equal.</source>
        <translation>組み合わせの比較から除く範囲の最初の行。y0 と y1 が等しければ範囲はありません。</translation>
    </message>
    <message>
        <source>rows</source>
        <translation>行</translation>
    </message>
    <message>
        <source>Y1</source>
        <translation>除外範囲の終わり (Y1)</translation>
    </message>
    <message>
        <source>Last row of the band that is excluded from the comparison of matches.</source>
        <translation>組み合わせの比較から除く範囲の最後の行。</translation>
    </message>
    <message>
        <source>Scthresh</source>
        <translation>場面転換のしきい値</translation>
    </message>
    <message>
        <source>Scene change threshold of combmatch: mean difference of luma from the previous or next frame, of the range of samples.</source>
        <translation>combmatch の場面転換のしきい値。前または次の画像との輝度の差の平均で、値の範囲に対する割合。</translation>
    </message>
    <message>
        <source>Cthresh</source>
        <translation>縞のしきい値</translation>
    </message>
    <message>
        <source>Combing threshold: difference of a combed sample from the lines above and below, on an 8-bit scale; -1: all samples are combed.</source>
        <translation>縞のしきい値。縞の画素と上下の行との差 (8 ビット換算)。-1 ならすべての画素を縞とみなします。</translation>
    </message>
    <message>
        <source>Checks for combing by chroma as well as luma.</source>
        <translation>縞を輝度だけでなく色差でも検査します。</translation>
    </message>
    <message>
        <source>Blockx</source>
        <translation>ブロックの幅</translation>
    </message>
    <message>
        <source>Width of the blocks in which combed samples are counted: a power of 2.</source>
        <translation>縞の画素を数えるブロックの幅。2 のべき乗。</translation>
    </message>
    <message>
        <source>Blocky</source>
        <translation>ブロックの高さ</translation>
    </message>
    <message>
        <source>Height of the blocks in which combed samples are counted: a power of 2.</source>
        <translation>縞の画素を数えるブロックの高さ。2 のべき乗。</translation>
    </message>
    <message>
        <source>Combpel</source>
        <translation>縞の画素数</translation>
    </message>
    <message>
        <source>Number of combed samples in a block from which a frame is combed; at most blockx times blocky.</source>
        <translation>画像に縞があるとみなす、ブロック内の縞の画素数。最大は blockx と blocky の積。</translation>
    </message>
    <message>
        <source>Dupthresh</source>
        <translation>重複のしきい値</translation>
    </message>
    <message>
        <source>Duplicate threshold of the decimation: largest mean difference of a block from the previous frame, of the range of samples.</source>
        <translation>間引きの重複のしきい値。ブロックごとの前の画像との差の平均の最大で、値の範囲に対する割合。</translation>
    </message>
    <message>
        <source>Dec scthresh</source>
        <translation>間引きの場面転換のしきい値</translation>
    </message>
    <message>
        <source>Scene change threshold of the decimation: mean difference from the previous frame, of the range of samples.</source>
        <translation>間引きの場面転換のしきい値。前の画像との差の平均で、値の範囲に対する割合。</translation>
    </message>
    <message>
        <source>Dec blockx</source>
        <translation>間引きのブロックの幅</translation>
    </message>
    <message>
        <source>Width of the blocks that the decimation compares: a power of 2.</source>
        <translation>間引きで比較するブロックの幅。2 のべき乗。</translation>
    </message>
    <message>
        <source>Dec blocky</source>
        <translation>間引きのブロックの高さ</translation>
    </message>
    <message>
        <source>Height of the blocks that the decimation compares: a power of 2.</source>
        <translation>間引きで比較するブロックの高さ。2 のべき乗。</translation>
    </message>
    <message>
        <source>Dec chroma</source>
        <translation>間引きの色差</translation>
    </message>
    <message>
        <source>The decimation compares chroma as well as luma.</source>
        <translation>間引きで輝度だけでなく色差も比較します。</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>デバイス</translation>
    </message>
    <message>
        <source>Devices that render one video together: &apos;all&apos; (all GPUs of the same name and interface), or ids separated by commas. Different devices need a chain of filters that compute with integers. The job starts on one of them; the others help while no job waits for them.</source>
        <translation>1 本の映像を一緒に処理するデバイス。all (同じ名前とインターフェースのすべての GPU)、またはコンマで区切った ID。異なるデバイスには、整数で計算するフィルターだけのチェーンが必要です。ジョブは 1 台で始まり、他のデバイスは待っているジョブがない間に手伝います。</translation>
    </message>
    <message>
        <source>Duration weight</source>
        <translation>表示時間の重み</translation>
    </message>
    <message>
        <source>Further bits for pictures that are shown longer than the shortest one, for x265: a picture of U times that duration gets 1 + (U - 1) * WEIGHT times the bits, as a mean over 8 pictures. x264 weighs durations itself.</source>
        <translation>最も短い画像より長く表示される画像に加えるビット量です (x265)。表示時間が U 倍の画像は、8 枚の平均でビット量が 1 + (U - 1) * WEIGHT 倍になります。x264 は表示時間を自動的に考慮します。</translation>
    </message>
    <message>
        <source>Timecodes</source>
        <translation>タイムコード</translation>
    </message>
    <message>
        <source>Text file with the start time of each picture of the output (&apos;timecode format v2&apos;), in ms from the first picture; published together with the output.</source>
        <translation>出力の各画像の開始時刻を記録するテキストファイルです (&apos;timecode format v2&apos;)。時刻は最初の画像からのミリ秒です。出力と同時に公開されます。</translation>
    </message>
    <message>
        <source>Timecode precision</source>
        <translation>タイムコードの精度</translation>
    </message>
    <message>
        <source>Precision of the times in the file of --timecodes.</source>
        <translation>--timecodes のファイルに書く時刻の精度です。</translation>
    </message>
    <message>
        <source>Milliseconds with six decimals, rounded: 33.366667.</source>
        <translation>小数点以下 6 桁のミリ秒に丸めます (33.366667)。</translation>
    </message>
    <message>
        <source>Whole milliseconds, rounded, for programs that read no decimals: 33.</source>
        <translation>整数のミリ秒に丸めます (33)。小数を読めないプログラム用です。</translation>
    </message>
    <message>
        <source>Inverse telecine of mixed cadence (KFM): film as 24p, other material as 30p or 60p, with exact times.</source>
        <translation>混在した映像の逆テレシネ (KFM)。映画は 24p、それ以外は 30p または 60p になり、時刻は正確です。</translation>
    </message>
    <message>
        <source>mode</source>
        <translation>mode</translation>
    </message>
    <message>
        <source>Output frame rate.</source>
        <translation>出力のフレームレート。</translation>
    </message>
    <message>
        <source>Variable: 24p for film, 30p, and 60p for video.</source>
        <translation>可変。映画は 24p、ほかに 30p、ビデオは 60p。</translation>
    </message>
    <message>
        <source>Variable: 24p and 30p only.</source>
        <translation>可変。24p と 30p のみ。</translation>
    </message>
    <message>
        <source>Constant: 4 frames for 5 input frames.</source>
        <translation>固定。入力 5 枚から 4 枚。</translation>
    </message>
    <message>
        <source>Constant: the frame rate of the input.</source>
        <translation>固定。入力と同じフレームレート。</translation>
    </message>
    <message>
        <source>Constant: one frame per field, without inverse telecine.</source>
        <translation>固定。フィールドごとに 1 枚。逆テレシネはしません。</translation>
    </message>
    <message>
        <source>is120</source>
        <translation>is120</translation>
    </message>
    <message>
        <source>Unit of the frame durations of modes vfr and vfr30.</source>
        <translation>vfr と vfr30 の表示時間の単位。</translation>
    </message>
    <message>
        <source>One field period: film alternates between 2 and 3.</source>
        <translation>1 フィールド。映画は 2 と 3 が交互になります。</translation>
    </message>
    <message>
        <source>Half a field period: film has even durations of 5.</source>
        <translation>半フィールド。映画は 5 で均等になります。</translation>
    </message>
    <message>
        <source>preset</source>
        <translation>preset</translation>
    </message>
    <message>
        <source>Preset of qtgmc, which makes 60p frames and combed parts of other frames. Default: faster from 720 lines on; else slower.</source>
        <translation>60p の画像と、ほかの画像の縞の部分を作る qtgmc のプリセット。省略時は 720 行以上で faster、それ以外は slower。</translation>
    </message>
    <message>
        <source>nr</source>
        <translation>nr</translation>
    </message>
    <message>
        <source>Denoises 24p and 30p frames along motion (SMDegrain with tr=1, binomial).</source>
        <translation>24p と 30p の画像のノイズを動きに沿って除きます (SMDegrain、tr=1、二項重み)。</translation>
    </message>
    <message>
        <source>ucf</source>
        <translation>ucf</translation>
    </message>
    <message>
        <source>lscale</source>
        <translation>lscale</translation>
    </message>
    <message>
        <source>Weight of strongly combed blocks in the comparison of fields.</source>
        <translation>フィールドの比較における強い縞のブロックの重み。</translation>
    </message>
    <message>
        <source>costth</source>
        <translation>costth</translation>
    </message>
    <message>
        <source>Difference ratio of adjacent fields below which the boundary of a film frame has a cost. Default: 1.5 from 720 lines on; else 1.</source>
        <translation>映画の画像の境界にコストを加える、隣り合うフィールドの差の比の上限。省略時は 720 行以上で 1.5、それ以外は 1。</translation>
    </message>
    <message>
        <source>adj2224</source>
        <translation>adj2224</translation>
    </message>
    <message>
        <source>Deduction from the scores of the patterns 4:2:2:2.</source>
        <translation>パターン 4:2:2:2 の得点から引く値。</translation>
    </message>
    <message>
        <source>adj30</source>
        <translation>adj30</translation>
    </message>
    <message>
        <source>Deduction from the score of 30p.</source>
        <translation>30p の得点から引く値。</translation>
    </message>
    <message>
        <source>range</source>
        <translation>range</translation>
    </message>
    <message>
        <source>Number of recent cycles that decide about a change of the pattern.</source>
        <translation>パターンの変更を決める直近の周期の数。</translation>
    </message>
    <message>
        <source>cycles</source>
        <translation>周期</translation>
    </message>
    <message>
        <source>thresh</source>
        <translation>thresh</translation>
    </message>
    <message>
        <source>Mean score deficit of the current pattern, over these cycles, above which the pattern changes.</source>
        <translation>パターンを変更する、これらの周期での得点差の平均の下限。</translation>
    </message>
    <message>
        <source>past</source>
        <translation>past</translation>
    </message>
    <message>
        <source>Maximum number of earlier cycles that a change of the pattern extends to.</source>
        <translation>パターンの変更がさかのぼる周期の最大数。</translation>
    </message>
    <message>
        <source>th60</source>
        <translation>th60</translation>
    </message>
    <message>
        <source>Cost of a cycle from which a section of 60p begins.</source>
        <translation>60p の区間が始まる周期のコスト。</translation>
    </message>
    <message>
        <source>th24</source>
        <translation>th24</translation>
    </message>
    <message>
        <source>Cost below which a cycle is not 60p.</source>
        <translation>周期を 60p とみなさないコストの上限。</translation>
    </message>
    <message>
        <source>rel24</source>
        <translation>rel24</translation>
    </message>
    <message>
        <source>Reliability measure below which such a cycle ends a section of 60p.</source>
        <translation>そのような周期が 60p の区間を終える信頼度の値の上限。</translation>
    </message>
    <message>
        <source>With ucf: planes that are measured. 0: luma; 1: chroma; 2: both.</source>
        <translation>ucf: 測定するプレーン。0: 輝度、1: 色差、2: 両方。</translation>
    </message>
    <message>
        <source>fd_thresh</source>
        <translation>fd_thresh</translation>
    </message>
    <message>
        <source>With ucf: comb from which a pair of fields is examined.</source>
        <translation>ucf: フィールドの組を調べる縞の量の下限。</translation>
    </message>
    <message>
        <source>th_mode</source>
        <translation>th_mode</translation>
    </message>
    <message>
        <source>With ucf: row of the table of noise thresholds; 0: the default row, 5.</source>
        <translation>ucf: ノイズのしきい値の表の行。0 は既定の行 5。</translation>
    </message>
    <message>
        <source>off_t</source>
        <translation>off_t</translation>
    </message>
    <message>
        <source>With ucf: addition to the threshold if the first field is cleaner.</source>
        <translation>ucf: 先のフィールドのほうがきれいな場合にしきい値へ加える値。</translation>
    </message>
    <message>
        <source>off_b</source>
        <translation>off_b</translation>
    </message>
    <message>
        <source>With ucf: addition to the threshold if the second field is cleaner.</source>
        <translation>ucf: 後のフィールドのほうがきれいな場合にしきい値へ加える値。</translation>
    </message>
    <message>
        <source>namax_thresh</source>
        <translation>namax_thresh</translation>
    </message>
    <message>
        <source>With ucf and luma: mean noise from which the noisier field is the better one.</source>
        <translation>ucf と輝度: ノイズの多いフィールドのほうを良いとみなすノイズの平均の下限。</translation>
    </message>
    <message>
        <source>namax_diff</source>
        <translation>namax_diff</translation>
    </message>
    <message>
        <source>With ucf and luma: threshold for such fields.</source>
        <translation>ucf と輝度: そのようなフィールドのしきい値。</translation>
    </message>
    <message>
        <source>nrt1y</source>
        <translation>nrt1y</translation>
    </message>
    <message>
        <source>With ucf: largest noise of a pair below which it counts as clean.</source>
        <translation>ucf: 組をきれいとみなす最大ノイズの上限。</translation>
    </message>
    <message>
        <source>nrt2y</source>
        <translation>nrt2y</translation>
    </message>
    <message>
        <source>With ucf: the same for pairs with a mean noise above nrt2x.</source>
        <translation>ucf: ノイズの平均が nrt2x を超える組での同じ上限。</translation>
    </message>
    <message>
        <source>nrt2x</source>
        <translation>nrt2x</translation>
    </message>
    <message>
        <source>With ucf: see nrt2y.</source>
        <translation>ucf: nrt2y を参照。</translation>
    </message>
    <message>
        <source>nrw</source>
        <translation>nrw</translation>
    </message>
    <message>
        <source>With ucf: weight of the difference in noise in the largest noise of a pair.</source>
        <translation>ucf: 組の最大ノイズにおけるノイズの差の重み。</translation>
    </message>
    <message>
        <source>sc_thresh</source>
        <translation>sc_thresh</translation>
    </message>
    <message>
        <source>With ucf: comb from which a 60p frame can count as a duplicate.</source>
        <translation>ucf: 60p の画像を重複とみなせる縞の量の下限。</translation>
    </message>
    <message>
        <source>dup_factor</source>
        <translation>dup_factor</translation>
    </message>
    <message>
        <source>With ucf: ratio of the comb to that of adjacent pairs from which a 60p frame counts as a duplicate.</source>
        <translation>ucf: 60p の画像を重複とみなす、隣の組に対する縞の量の比。</translation>
    </message>
    <message>
        <source>Removes blocks and ringing of MPEG-2 and H.264 by overlapped 8x8 DCTs, with thresholds from the source&apos;s quantisers.</source>
        <translation>入力の量子化値をしきい値にした重なり合う 8x8 DCT で、MPEG-2 と H.264 のブロックノイズとリンギングを取り除きます。</translation>
    </message>
    <message>
        <source>Strength. The numbers of quantisers are twice those of MPEG-2, or the QP of H.264.</source>
        <translation>強さです。量子化値は MPEG-2 の値の 2 倍、または H.264 の QP です。</translation>
    </message>
    <message>
        <source>From quantiser 13 on, in full from 23 on.</source>
        <translation>量子化値 13 を超えると効き始め、23 以上で全強度になります。</translation>
    </message>
    <message>
        <source>From quantiser 23 on, in full from 33 on.</source>
        <translation>量子化値 23 を超えると効き始め、33 以上で全強度になります。</translation>
    </message>
    <message>
        <source>From quantiser 33 on, in full from 43 on, by the quantisers of I and P pictures.</source>
        <translation>量子化値 33 を超えると効き始め、43 以上で全強度になります。I ピクチャと P ピクチャの量子化値を使います。</translation>
    </message>
    <message>
        <source>From quantiser 45 on, in full from 55 on, by the quantisers of I and P pictures.</source>
        <translation>量子化値 45 を超えると効き始め、55 以上で全強度になります。I ピクチャと P ピクチャの量子化値を使います。</translation>
    </message>
    <message>
        <source>Number of overlapping transforms of a sample: 2 to the power of this number.</source>
        <translation>1 標本あたりの重なり合う変換の数を 2 の累乗の指数で指定します。</translation>
    </message>
    <message>
        <source>Thr</source>
        <translation>Thr</translation>
    </message>
    <message>
        <source>Quantiser at the middle of the ramp from no filtering to full filtering. Default: from the strength.</source>
        <translation>無処理から全強度に移る区間の中央の量子化値です。既定値は強さで決まります。</translation>
    </message>
    <message>
        <source>Str</source>
        <translation>Str</translation>
    </message>
    <message>
        <source>Change of the threshold&apos;s factor: the full threshold is the quantiser times 4 + str, less 1. Default: from the strength.</source>
        <translation>しきい値の倍率の増減です。全強度のしきい値は量子化値の (4 + str) 倍から 1 を引いた値です。既定値は強さで決まります。</translation>
    </message>
    <message>
        <source>Bratio</source>
        <translation>Bratio</translation>
    </message>
    <message>
        <source>Share of the picture&apos;s own quantisers; the rest is that of the newest I or P picture. 1 and more: its own alone. Default: from the strength.</source>
        <translation>その画像自身の量子化値の割合で、残りは直近の I または P ピクチャの値です。1 以上では自身の値だけを使います。既定値は強さで決まります。</translation>
    </message>
    <message>
        <source>Sharp</source>
        <translation>鮮鋭化</translation>
    </message>
    <message>
        <source>Sharpens the result where quantisers are large, within the range of the neighbours.</source>
        <translation>量子化値の大きい部分を、隣接する標本の範囲内で鮮鋭にします。</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>表示</translation>
    </message>
    <message>
        <source>Shows the quantisers in place of the picture: a luma code value of 2 for each step, on an 8-bit scale.</source>
        <translation>画像の代わりに量子化値を表示します。量子化値 1 を 8 ビット換算の輝度 2 で表します。</translation>
    </message>
    <message>
        <source>Qp</source>
        <translation>量子化値</translation>
    </message>
    <message>
        <source>Fixed quantiser of all pictures, for sources without quantisers; 0: the quantisers of the source.</source>
        <translation>すべての画像に使う固定の量子化値です。量子化値のない入力に使います。0 では入力の量子化値を使います。</translation>
    </message>
    <message>
        <source>Qpscale</source>
        <translation>QP の尺度</translation>
    </message>
    <message>
        <source>Scale of the quantisers of H.264.</source>
        <translation>H.264 の量子化値の尺度です。</translation>
    </message>
    <message>
        <source>QP as it is.</source>
        <translation>QP をそのまま使います。</translation>
    </message>
    <message>
        <source>1.25 * 2^(QP/6): the quantiser of MPEG-2 with the same step.</source>
        <translation>1.25 * 2^(QP/6): 同じ刻み幅になる MPEG-2 の量子化値です。</translation>
    </message>
    <message>
        <source>Repeats the fields and frames that MPEG-2 and H.264 streams flag for repetition (soft telecine): woven frames, top field first, at the times of their display.</source>
        <translation>MPEG-2 と H.264 のストリームが繰り返しを指定するフィールドとフレームを、表示時刻どおりに繰り返します (ソフトテレシネ)。出力はトップフィールドが先のフレームです。</translation>
    </message>
    <message>
        <source>Output file; the extension selects the container. json: the decisions of the filters&apos; analyses, without a video. lgd: the logo that logoscan has measured.</source>
        <translation>出力ファイルです。コンテナは拡張子で決まります。json の場合は映像を作らず、フィルターの分析の決定を書き込みます。lgd の場合は logoscan が測ったロゴを書き込みます。</translation>
    </message>
    <message>
        <source>Removes the semi-transparent logo of a broadcaster, as measured by logoscan or by AviUtl and Amatsukaze (*.lgd).</source>
        <translation>放送局の半透明のロゴを取り除きます。ロゴは logoscan、または AviUtl や Amatsukaze で測ったものです (*.lgd)。</translation>
    </message>
    <message>
        <source>Logo</source>
        <translation>ロゴ</translation>
    </message>
    <message>
        <source>Logo file (*.lgd), for pictures of the size of the input.</source>
        <translation>入力と同じ大きさの画像のためのロゴファイル (*.lgd) です。</translation>
    </message>
    <message>
        <source>Presence</source>
        <translation>表示</translation>
    </message>
    <message>
        <source>Frames that contain the logo.</source>
        <translation>ロゴがあるフレームです。</translation>
    </message>
    <message>
        <source>An analysis of the whole input finds the frames with the logo, and its strength while it fades.</source>
        <translation>入力全体の分析で、ロゴがあるフレームと、フェード中のロゴの強さを調べます。</translation>
    </message>
    <message>
        <source>Every frame has the logo at full strength; needs no analysis.</source>
        <translation>すべてのフレームにロゴが完全な強さであるものとします。分析は不要です。</translation>
    </message>
    <message>
        <source>Fade</source>
        <translation>フェード</translation>
    </message>
    <message>
        <source>Strength of the logo in every frame, in place of an analysis; 1: full, 0: no logo. Default: measured.</source>
        <translation>分析の代わりに使う、全フレームのロゴの強さです。1：完全、0：ロゴなし。指定がなければ測ります。</translation>
    </message>
    <message>
        <source>Max fade</source>
        <translation>最長フェード</translation>
    </message>
    <message>
        <source>Longest fade of the logo: the strength is measured frame by frame from half as many frames before the logo appears or disappears to half as many after it.</source>
        <translation>ロゴのフェードの最大の長さです。ロゴが現れる、または消える時点の前後それぞれ半分のフレーム数で、強さをフレームごとに測ります。</translation>
    </message>
    <message>
        <source>Measures the logo in a rectangle, for delogo; an output *.lgd receives it. The pictures stay unchanged.</source>
        <translation>矩形の中のロゴを delogo のために測り、出力 *.lgd に書き込みます。画像は変わりません。</translation>
    </message>
    <message>
        <source>X</source>
        <translation>X</translation>
    </message>
    <message>
        <source>Left edge of the rectangle, an even number.</source>
        <translation>矩形の左端です。偶数です。</translation>
    </message>
    <message>
        <source>Y</source>
        <translation>Y</translation>
    </message>
    <message>
        <source>Top edge of the rectangle, an even number.</source>
        <translation>矩形の上端です。偶数です。</translation>
    </message>
    <message>
        <source>Width</source>
        <translation>幅</translation>
    </message>
    <message>
        <source>Width of the rectangle, an even number: the logo with a margin of some pixels.</source>
        <translation>矩形の幅です。偶数で、ロゴの周囲に数画素の余白を含みます。</translation>
    </message>
    <message>
        <source>Height</source>
        <translation>高さ</translation>
    </message>
    <message>
        <source>Height of the rectangle, an even number.</source>
        <translation>矩形の高さです。偶数です。</translation>
    </message>
    <message>
        <source>Largest difference of samples along the border of the rectangle in a frame that is used, on an 8-bit scale for 1080 rows.</source>
        <translation>使うフレームで許される、矩形の縁の画素値の最大の差です (1080 ライン、8 ビット換算)。</translation>
    </message>
    <message>
        <source>Largest number of frames that are used; of more, frames at equal distances are used.</source>
        <translation>使うフレームの最大数です。それより多い場合は等間隔に選びます。</translation>
    </message>
    <message>
        <source>Name of the logo in the file. Default: logo.</source>
        <translation>ファイルに書くロゴの名前です。指定がなければ logo。</translation>
    </message>
    <message>
        <source>Delay</source>
        <translation>遅延</translation>
    </message>
    <message>
        <source>In streams: number of further cycles after which the decision about a cycle is final.</source>
        <translation>ストリームで、周期の判定が確定するまでに続く周期の数です。</translation>
    </message>
    <message>
        <source>Replaces frames that have one noisy field by the other field, deinterlaced (DecombUCF).</source>
        <translation>片方のフィールドにノイズがある画像を、もう一方のフィールドから作った画像に置き換えます (DecombUCF)。</translation>
    </message>
</context>
<context>
    <name>Orders</name>
    <message>
        <source>%1 is paused.</source>
        <translation>%1 を一時停止しました。</translation>
    </message>
    <message>
        <source>%1 jobs are paused.</source>
        <translation>%1 件のジョブを一時停止しました。</translation>
    </message>
    <message>
        <source>%1 is back in the queue.</source>
        <translation>%1 をキューに戻しました。</translation>
    </message>
    <message>
        <source>%1 jobs are back in the queue.</source>
        <translation>%1 件のジョブをキューに戻しました。</translation>
    </message>
    <message>
        <source>%1 is cancelled.</source>
        <translation>%1 をキャンセルしました。</translation>
    </message>
    <message>
        <source>%1 jobs are cancelled.</source>
        <translation>%1 件のジョブをキャンセルしました。</translation>
    </message>
    <message>
        <source>%1 is queued again.</source>
        <translation>%1 を再び待ち行列に入れました。</translation>
    </message>
    <message>
        <source>%1 jobs are queued again.</source>
        <translation>%1 件のジョブを再び待ち行列に入れました。</translation>
    </message>
    <message>
        <source>The priority of %1 has changed.</source>
        <translation>%1 の優先度を変えました。</translation>
    </message>
    <message>
        <source>The priority of %1 jobs has changed.</source>
        <translation>%1 件のジョブの優先度を変えました。</translation>
    </message>
    <message>
        <source>%1 jobs were refused; the first: %2</source>
        <translation>%1 件のジョブは拒否されました。最初の理由: %2</translation>
    </message>
    <message>
        <source>and %1 more</source>
        <translation>ほか %1 件</translation>
    </message>
</context>
<context>
    <name>PropertyList</name>
    <message>
        <source>on no device</source>
        <translation>デバイスなし</translation>
    </message>
    <message>
        <source>%1, started %2</source>
        <translation>%1、開始 %2</translation>
    </message>
    <message>
        <source>, took %1</source>
        <translation>、所要 %1</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状態</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>進捗</translation>
    </message>
    <message>
        <source>%1 of %2 %3, %4%</source>
        <comment>frames done, frames in all, unit, percentage</comment>
        <translation>%1 / %2 %3 (%4%)</translation>
    </message>
    <message>
        <source>Stage</source>
        <translation>処理段階</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>速度</translation>
    </message>
    <message>
        <source>%1 per second</source>
        <translation>毎秒 %1</translation>
    </message>
    <message>
        <source>Time left</source>
        <translation>残り時間</translation>
    </message>
    <message>
        <source>Why it failed</source>
        <translation>失敗の理由</translation>
    </message>
    <message>
        <source>Why it waits</source>
        <translation>待機の理由</translation>
    </message>
    <message>
        <source>Starts in</source>
        <translation>開始まで</translation>
    </message>
    <message>
        <source>about %1</source>
        <translation>約 %1</translation>
    </message>
    <message>
        <source>Duration</source>
        <translation>所要時間</translation>
    </message>
    <message>
        <source>about %1 on %2</source>
        <translation>約 %1 (%2)</translation>
    </message>
    <message>
        <source>ID</source>
        <translation>ID</translation>
    </message>
    <message>
        <source>Input file</source>
        <translation>入力ファイル</translation>
    </message>
    <message>
        <source>Input</source>
        <translation>入力</translation>
    </message>
    <message>
        <source>Output file</source>
        <translation>出力ファイル</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>出力</translation>
    </message>
    <message>
        <source>Owner</source>
        <translation>所有者</translation>
    </message>
    <message>
        <source>Labels</source>
        <translation>ラベル</translation>
    </message>
    <message>
        <source>Class</source>
        <translation>クラス</translation>
    </message>
    <message>
        <source>%1, priority %2</source>
        <comment>a class of jobs</comment>
        <translation>%1、優先度 %2</translation>
    </message>
    <message>
        <source>Submitted</source>
        <translation>投入</translation>
    </message>
    <message>
        <source>Started</source>
        <translation>開始</translation>
    </message>
    <message>
        <source>Ended</source>
        <translation>終了</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>時間</translation>
    </message>
    <message>
        <source>%1 (%2 on the device)</source>
        <translation>%1 (うちデバイス上 %2)</translation>
    </message>
    <message>
        <source>Processed</source>
        <translation>処理量</translation>
    </message>
    <message>
        <source>%1 %3 in, %2 out</source>
        <translation>入力 %1、出力 %2 (%3)</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>サイズ</translation>
    </message>
    <message>
        <source>Segments</source>
        <translation>セグメント</translation>
    </message>
    <message>
        <source>%1 (%2 reused from earlier attempts)</source>
        <translation>%1 (うち %2 は以前の試行から再利用)</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>注意</translation>
    </message>
    <message>
        <source>Stages</source>
        <translation>処理段</translation>
    </message>
    <message>
        <source>%1 per second, busy %2% of the time</source>
        <translation>毎秒 %1、稼働 %2%</translation>
    </message>
    <message>
        <source>Attempts</source>
        <translation>試行</translation>
    </message>
    <message>
        <source>No log yet: the job has not started.</source>
        <translation>ログはまだありません。ジョブは始まっていません。</translation>
    </message>
    <message>
        <source>The log is empty.</source>
        <translation>ログにはまだ行がありません。</translation>
    </message>
    <message>
        <source>%1, %2 times as fast as the default</source>
        <comment>a shape of blocks</comment>
        <translation>%1、既定の %2 倍の速さ</translation>
    </message>
    <message>
        <source>1 case</source>
        <translation>1 ケース</translation>
    </message>
    <message>
        <source>%1 cases</source>
        <translation>%1 ケース</translation>
    </message>
    <message>
        <source>, %1 not timed</source>
        <translation>、うち %1 は計測できず</translation>
    </message>
    <message>
        <source>, best at %1% of the limit (%2)</source>
        <translation>、最高で上限の %1% (%2)</translation>
    </message>
    <message>
        <source>Results</source>
        <translation>結果</translation>
    </message>
</context>
<context>
    <name>SaveTable</name>
    <message>
        <source>Comma-separated values (*.csv)</source>
        <translation>CSV ファイル (*.csv)</translation>
    </message>
    <message>
        <source>%1 cannot be written (%2).</source>
        <translation>%1 に書き込めません (%2)。</translation>
    </message>
</context>
<context>
    <name>weft::gui::AboutDialog</name>
    <message>
        <source>About Weft</source>
        <translation>Weft について</translation>
    </message>
    <message>
        <source>Weft %1: a job queue for shared GPUs.</source>
        <translation>Weft %1: GPU を共有するためのジョブキュー。</translation>
    </message>
    <message>
        <source>Version</source>
        <translation>バージョン</translation>
    </message>
    <message>
        <source>Libraries</source>
        <translation>ライブラリー</translation>
    </message>
    <message>
        <source>Built with</source>
        <translation>使用しているもの</translation>
    </message>
    <message>
        <source>Licence</source>
        <translation>ライセンス</translation>
    </message>
</context>
<context>
    <name>weft::gui::Announcements</name>
    <message>
        <source>Messages</source>
        <translation>メッセージ</translation>
    </message>
    <message>
        <source>Clear the messages</source>
        <translation>メッセージを消す</translation>
    </message>
</context>
<context>
    <name>weft::gui::BenchmarkCasesModel</name>
    <message>
        <source>within the spread</source>
        <translation>ばらつきの範囲内</translation>
    </message>
    <message>
        <source>Benchmark</source>
        <translation>ベンチマーク</translation>
    </message>
    <message>
        <source>Variant</source>
        <translation>方式</translation>
    </message>
    <message>
        <source>Input</source>
        <translation>入力</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>サイズ</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>時間</translation>
    </message>
    <message>
        <source>Spread</source>
        <translation>ばらつき</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>速度</translation>
    </message>
    <message>
        <source>Limit</source>
        <translation>上限</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>上限比</translation>
    </message>
    <message>
        <source>Speed-up</source>
        <translation>倍率</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>備考</translation>
    </message>
    <message>
        <source>Time on the device; median of the runs.</source>
        <translation>デバイス上の時間。各回の中央値です。</translation>
    </message>
    <message>
        <source>Interquartile range of the times relative to the median.</source>
        <translation>時間の第 1 四分位から第 3 四分位までの幅。中央値に対する割合です。</translation>
    </message>
    <message>
        <source>Hardware limit (bandwidth or compute) of the case.</source>
        <translation>このケースの速さを制限する、デバイスの性能です。</translation>
    </message>
    <message>
        <source>Shortest time that the limit allows, divided by the measured time.</source>
        <translation>上限から決まる最短の時間が、かかった時間に占める割合です。</translation>
    </message>
    <message>
        <source>Speed-up over the run compared with; bold if the quartile ranges do not overlap.</source>
        <translation>比較する測定の何倍の速さか。四分位範囲が重ならない場合は太字です。</translation>
    </message>
</context>
<context>
    <name>weft::gui::BenchmarkPlotView</name>
    <message>
        <source>Plot</source>
        <translation>グラフ</translation>
    </message>
    <message>
        <source>No timed cases.</source>
        <translation>計測できたものがありません。</translation>
    </message>
    <message>
        <source>Size in %1s</source>
        <comment>a unit: elements</comment>
        <translation>サイズ (%1)</translation>
    </message>
    <message>
        <source>%1 more</source>
        <translation>ほか %1</translation>
    </message>
</context>
<context>
    <name>weft::gui::BenchmarkRunsModel</name>
    <message>
        <source>%1, %2 not timed</source>
        <comment>number of cases, number without a time</comment>
        <translation>%1、うち %2 は計測できず</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>日時</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>デバイス</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名前</translation>
    </message>
    <message>
        <source>Cases</source>
        <translation>ケース</translation>
    </message>
    <message>
        <source>Benchmarks</source>
        <translation>ベンチマーク</translation>
    </message>
</context>
<context>
    <name>weft::gui::BenchmarksView</name>
    <message>
        <source>Runs</source>
        <translation>測定</translation>
    </message>
    <message>
        <source>No benchmark runs yet.</source>
        <translation>ベンチマークの測定はまだありません。</translation>
    </message>
    <message>
        <source>Cases</source>
        <translation>ケース</translation>
    </message>
    <message>
        <source>Selected run</source>
        <translation>選択中の測定</translation>
    </message>
    <message>
        <source>&amp;Run benchmarks ...</source>
        <translation>ベンチマークを実行(&amp;R) ...</translation>
    </message>
    <message>
        <source>Benchmark</source>
        <translation>ベンチマーク</translation>
    </message>
    <message>
        <source>Plotted value</source>
        <translation>グラフの値</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>時間</translation>
    </message>
    <message>
        <source>Share of the limit</source>
        <translation>上限に対する割合</translation>
    </message>
    <message>
        <source>&amp;Compare with:</source>
        <translation>比較対象(&amp;C):</translation>
    </message>
    <message>
        <source>Compare with</source>
        <translation>比較対象</translation>
    </message>
    <message>
        <source>&amp;Export</source>
        <translation>エクスポート(&amp;E)</translation>
    </message>
    <message>
        <source>Cases as &amp;CSV ...</source>
        <translation>ケースを CSV で(&amp;C) ...</translation>
    </message>
    <message>
        <source>Result as &amp;JSON ...</source>
        <translation>結果を JSON で(&amp;J) ...</translation>
    </message>
    <message>
        <source>Report as &amp;HTML ...</source>
        <translation>レポートを HTML で(&amp;H) ...</translation>
    </message>
    <message>
        <source>none</source>
        <translation>なし</translation>
    </message>
    <message>
        <source>All benchmarks</source>
        <translation>すべてのベンチマーク</translation>
    </message>
    <message>
        <source>%1: %2; dotted: %3</source>
        <comment>benchmark, value, another run</comment>
        <translation>%1: %2、点線: %3</translation>
    </message>
    <message>
        <source>Export benchmarks</source>
        <translation>ベンチマークのエクスポート</translation>
    </message>
    <message>
        <source>Comma-separated values (*.csv)</source>
        <translation>CSV ファイル (*.csv)</translation>
    </message>
    <message>
        <source>JSON (*.json)</source>
        <translation>JSON (*.json)</translation>
    </message>
    <message>
        <source>Web pages (*.html)</source>
        <translation>ウェブページ (*.html)</translation>
    </message>
</context>
<context>
    <name>weft::gui::ChainEditor</name>
    <message>
        <source>Add a filter</source>
        <translation>フィルターを追加</translation>
    </message>
    <message>
        <source>Add a filter: %1</source>
        <translation>フィルターを追加: %1</translation>
    </message>
    <message>
        <source>Move up</source>
        <translation>上へ</translation>
    </message>
    <message>
        <source>Move down</source>
        <translation>下へ</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>取り除く</translation>
    </message>
</context>
<context>
    <name>weft::gui::ColumnActions</name>
    <message>
        <source>&amp;Columns</source>
        <translation>列(&amp;C)</translation>
    </message>
    <message>
        <source>Move the column &amp;left</source>
        <translation>列を左へ移動(&amp;L)</translation>
    </message>
    <message>
        <source>Move the column &amp;right</source>
        <translation>列を右へ移動(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Sort by the column</source>
        <translation>この列で並べ替え(&amp;S)</translation>
    </message>
</context>
<context>
    <name>weft::gui::CompareView</name>
    <message>
        <source>Gain of the difference</source>
        <translation>差分のゲイン</translation>
    </message>
    <message>
        <source>Gain</source>
        <translation>ゲイン</translation>
    </message>
    <message>
        <source>Gain %1</source>
        <translation>ゲイン %1</translation>
    </message>
    <message>
        <source>Exposure</source>
        <translation>露出</translation>
    </message>
    <message>
        <source>Exposure in stops</source>
        <translation>露出 (段)</translation>
    </message>
    <message>
        <source>Exposure %1</source>
        <translation>露出 %1</translation>
    </message>
    <message>
        <source>Zoom</source>
        <translation>ズーム</translation>
    </message>
    <message>
        <source>Compared pictures</source>
        <translation>比較の対象</translation>
    </message>
    <message>
        <source>Pixel under the pointer</source>
        <translation>ポインターの下の画素</translation>
    </message>
    <message>
        <source>%1%</source>
        <translation>%1%</translation>
    </message>
    <message>
        <source>First picture</source>
        <translation>最初の画像</translation>
    </message>
    <message>
        <source>Previous picture</source>
        <translation>前の画像</translation>
    </message>
    <message>
        <source>Next picture</source>
        <translation>次の画像</translation>
    </message>
    <message>
        <source>Last picture</source>
        <translation>最後の画像</translation>
    </message>
    <message>
        <source>%1 pictures back</source>
        <translation>%1 枚戻る</translation>
    </message>
    <message>
        <source>%1 pictures forward</source>
        <translation>%1 枚進む</translation>
    </message>
    <message>
        <source>Position in the output</source>
        <translation>出力内の位置</translation>
    </message>
    <message>
        <source>Picture number in the output (first is 0)</source>
        <translation>出力の画像番号 (0 から)</translation>
    </message>
    <message>
        <source>Wipe</source>
        <translation>ワイプ</translation>
    </message>
    <message>
        <source>Flicker</source>
        <translation>交互表示</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>差分</translation>
    </message>
    <message>
        <source>Side by side</source>
        <translation>並べて表示</translation>
    </message>
    <message>
        <source>Switch between before and after</source>
        <translation>処理前と処理後を手動で切り替え</translation>
    </message>
    <message>
        <source>Both fields (interlaced)</source>
        <translation>両フィールド (インターレース)</translation>
    </message>
    <message>
        <source>Source field of the picture</source>
        <translation>この画像のフィールド</translation>
    </message>
    <message>
        <source>Top field</source>
        <translation>トップフィールド</translation>
    </message>
    <message>
        <source>Bottom field</source>
        <translation>ボトムフィールド</translation>
    </message>
    <message>
        <source>Fields of interlaced pictures</source>
        <translation>インターレース画像のフィールド</translation>
    </message>
    <message>
        <source>Lines of an interlaced picture to show (I)</source>
        <translation>インターレース画像のどのラインを表示するか (I)</translation>
    </message>
    <message>
        <source>Fit</source>
        <translation>全体</translation>
    </message>
    <message>
        <source>100%</source>
        <translation>100%</translation>
    </message>
    <message>
        <source>Zoom in</source>
        <translation>拡大</translation>
    </message>
    <message>
        <source>Zoom out</source>
        <translation>縮小</translation>
    </message>
    <message>
        <source>More gain</source>
        <translation>ゲインを上げる</translation>
    </message>
    <message>
        <source>Less gain</source>
        <translation>ゲインを下げる</translation>
    </message>
    <message>
        <source>Exposure up</source>
        <translation>露出を上げる</translation>
    </message>
    <message>
        <source>Exposure down</source>
        <translation>露出を下げる</translation>
    </message>
    <message>
        <source>Next field selection</source>
        <translation>フィールドの選択を切り替え</translation>
    </message>
    <message>
        <source>/ %1 (first is 0)</source>
        <translation>/ %1 枚 (0 から)</translation>
    </message>
    <message>
        <source>No job selected.</source>
        <translation>ジョブが選ばれていません。</translation>
    </message>
    <message>
        <source>%1 on %2</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>%1 (loading)</source>
        <translation>%1 (取得中)</translation>
    </message>
    <message>
        <source>Select a job in the jobs table and press Return.</source>
        <translation>ジョブの表でジョブを選び、Return キーを押してください。</translation>
    </message>
    <message>
        <source>Cannot subtract: input is %1x%2, output %3x%4.</source>
        <translation>差分を計算できません: 入力は %1x%2、出力は %3x%4 です。</translation>
    </message>
    <message>
        <source>%1, %2: before %3, after %4</source>
        <translation>%1, %2: 処理前 %3、処理後 %4</translation>
    </message>
    <message>
        <source>%1: output frame %2 = input frame %3, field %4</source>
        <translation>%1: 出力フレーム %2 = 入力フレーム %3 のフィールド %4</translation>
    </message>
    <message>
        <source>%1: output picture %2 = input picture %3</source>
        <translation>%1: 出力画像 %2 = 入力画像 %3</translation>
    </message>
    <message>
        <source>Square pixels</source>
        <translation>正方形画素</translation>
    </message>
    <message>
        <source>Show square pixels (A); the pixel aspect ratio of the file is %1.</source>
        <translation>画素を正方形で表示します (A)。このファイルの画素アスペクト比は %1 です。</translation>
    </message>
    <message>
        <source>Loading ...</source>
        <translation>画像を取得しています。</translation>
    </message>
    <message>
        <source>mode %1</source>
        <translation>モード %1</translation>
    </message>
    <message>
        <source>color0 &gt; color1: 4-colour mode</source>
        <translation>color0 &gt; color1: 4 色モード</translation>
    </message>
    <message>
        <source>color0 &lt;= color1: 3-colour mode</source>
        <translation>color0 &lt;= color1: 3 色モード</translation>
    </message>
    <message>
        <source>reserved mode</source>
        <translation>予約されたモード</translation>
    </message>
    <message>
        <source>Block modes</source>
        <translation>ブロックのモード</translation>
    </message>
    <message>
        <source>Colour each block by its mode (B); the mode of the block under the pointer is shown as text</source>
        <translation>各ブロックをそのモードの色で表示します（B）。ポインターの下の画素のモードも表示されます</translation>
    </message>
    <message>
        <source>Lit</source>
        <translation>照明</translation>
    </message>
    <message>
        <source>Show normals as a surface with a light at the pointer (L)</source>
        <translation>法線を、ポインターに従う光の下の面として表示します（L）</translation>
    </message>
    <message>
        <source>Files of the job</source>
        <translation>ジョブのファイル</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1（%2）</translation>
    </message>
</context>
<context>
    <name>weft::gui::DecisionChart</name>
    <message>
        <source>Decision of %1</source>
        <translation>%1 の判定</translation>
    </message>
</context>
<context>
    <name>weft::gui::DecisionsView</name>
    <message>
        <source>Save as picture ...</source>
        <translation>画像として保存…</translation>
    </message>
    <message>
        <source>Ctrl+wheel or + and - zoom, drag moves, Left and Right select a section.</source>
        <translation>Ctrl+ホイールまたは + と - で拡大・縮小、ドラッグで移動、左右キーで区間を選択します。</translation>
    </message>
    <message>
        <source>The decisions of this job have no sections to show.</source>
        <translation>このジョブの判定には表示する区間がありません。</translation>
    </message>
    <message>
        <source>This job has no decisions yet: its filters have no analysis, or it has not ended.</source>
        <translation>このジョブにはまだ判定がありません。フィルターに解析がないか、解析が終わっていません。</translation>
    </message>
    <message>
        <source>This job has no decisions: its filters have no analysis, or they were removed.</source>
        <translation>このジョブには判定がありません。フィルターに解析がないか、判定が削除されました。</translation>
    </message>
    <message>
        <source>Save the decisions</source>
        <translation>判定の保存</translation>
    </message>
    <message>
        <source>Pictures (*.png)</source>
        <translation>画像 (*.png)</translation>
    </message>
    <message>
        <source>Select a job to see its decisions.</source>
        <translation>ジョブを選択すると判定が表示されます。</translation>
    </message>
</context>
<context>
    <name>weft::gui::DeviceActions</name>
    <message>
        <source>Start jobs on the device again</source>
        <translation>デバイスの使用を再開します</translation>
    </message>
    <message>
        <source>%1 is being drained: running jobs are finished, no new ones start.</source>
        <translation>%1 の受け付けを停止しました。実行中のジョブは最後まで実行され、新しいジョブは始まりません。</translation>
    </message>
    <message>
        <source>%1 is back in service.</source>
        <translation>%1 の使用を再開しました。</translation>
    </message>
    <message>
        <source>&amp;Drain the device ...</source>
        <translation>デバイスの受け付けを停止(&amp;D)...</translation>
    </message>
    <message>
        <source>Finish running jobs on the device, start no new ones</source>
        <translation>実行中のジョブを終わらせ、新しいジョブは始めません</translation>
    </message>
    <message>
        <source>&amp;Resume the device</source>
        <translation>デバイスの使用を再開(&amp;R)</translation>
    </message>
    <message>
        <source>Drain %1 of %2? Running jobs are finished, and no new ones start on it until it is resumed.</source>
        <translation>%2 の %1 の受け付けを停止しますか? 実行中のジョブは最後まで実行され、再開するまで新しいジョブは始まりません。</translation>
    </message>
    <message>
        <source>Drain a device</source>
        <translation>デバイスの受け付け停止</translation>
    </message>
</context>
<context>
    <name>weft::gui::DeviceStrip</name>
    <message>
        <source>Device</source>
        <translation>デバイス</translation>
    </message>
    <message>
        <source>Hardware</source>
        <translation>ハードウェア</translation>
    </message>
    <message>
        <source>Reason</source>
        <translation>理由</translation>
    </message>
    <message>
        <source>Device time now</source>
        <translation>現在のデバイス時間</translation>
    </message>
    <message>
        <source>Use of idle time</source>
        <translation>空き時間の利用率</translation>
    </message>
    <message>
        <source>Figures</source>
        <translation>数値</translation>
    </message>
    <message>
        <source>Streams on %1</source>
        <translation>%1 のストリーム</translation>
    </message>
    <message>
        <source>data from %1 ago</source>
        <translation>%1前の状態</translation>
    </message>
    <message>
        <source>no data for %1</source>
        <translation>%1 の間サンプルなし</translation>
    </message>
    <message>
        <source>memory %1</source>
        <translation>メモリー %1</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1、%2</translation>
    </message>
    <message>
        <source>— available to jobs</source>
        <translation>— ジョブが使える時間</translation>
    </message>
</context>
<context>
    <name>weft::gui::DeviceTimeline</name>
    <message>
        <source>Device time of %1</source>
        <translation>%1 のデバイス時間</translation>
    </message>
    <message>
        <source>now</source>
        <translation>現在</translation>
    </message>
    <message>
        <source>-%1</source>
        <translation>-%1</translation>
    </message>
    <message>
        <source>%1: no data</source>
        <translation>%1: 情報なし</translation>
    </message>
    <message>
        <source>%1: %2; available to jobs %3</source>
        <translation>%1: %2、ジョブが使える時間 %3</translation>
    </message>
</context>
<context>
    <name>weft::gui::DevicesView</name>
    <message>
        <source>Time shown</source>
        <translation>表示する期間</translation>
    </message>
    <message>
        <source>Last %1</source>
        <translation>過去 %1</translation>
    </message>
    <message>
        <source>Unavailable devices</source>
        <translation>使用できないデバイス</translation>
    </message>
</context>
<context>
    <name>weft::gui::DraftModel</name>
    <message>
        <source>Disk space: unknown</source>
        <translation>容量: 不明</translation>
    </message>
    <message>
        <source>Disk space: at most %1 (%2 free)</source>
        <translation>容量: 最大 %1、空き %2</translation>
    </message>
    <message>
        <source>Processing time: unknown (no similar job has run yet)</source>
        <translation>処理時間: 不明 (同種の実行実績がありません)</translation>
    </message>
    <message>
        <source>Output: %1</source>
        <translation>出力: %1</translation>
    </message>
    <message>
        <source>File</source>
        <translation>ファイル</translation>
    </message>
    <message>
        <source>Contents</source>
        <translation>内容</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>フォルダー</translation>
    </message>
    <message>
        <source>1 file</source>
        <translation>1 個</translation>
    </message>
    <message>
        <source>%1 files</source>
        <translation>%1 個</translation>
    </message>
    <message>
        <source>%1 of %2 cannot be used: %3</source>
        <comment>number of files</comment>
        <translation>ファイル %2中 %1 個は使用できません: %3</translation>
    </message>
    <message>
        <source>%1 of %2 checked: %3 in, %4 out</source>
        <comment>number of files, numbers of units</comment>
        <translation>ファイル %2中 %1 個を確認済み: 入力 %3、出力 %4 単位</translation>
    </message>
    <message>
        <source>1 unit</source>
        <translation>1 単位</translation>
    </message>
    <message>
        <source>%1 units</source>
        <translation>%1 単位</translation>
    </message>
    <message>
        <source>; 1 file not included</source>
        <translation> (1 個のファイルを除く)</translation>
    </message>
    <message>
        <source>; %1 files not included</source>
        <translation> (%1 個のファイルを除く)</translation>
    </message>
    <message>
        <source>Processing time: %1</source>
        <translation>処理時間: %1</translation>
    </message>
</context>
<context>
    <name>weft::gui::JobActions</name>
    <message>
        <source>&amp;Pause</source>
        <translation>一時停止(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Resume</source>
        <translation>再開(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Cancel ...</source>
        <translation>キャンセル(&amp;C)...</translation>
    </message>
    <message>
        <source>Re&amp;try</source>
        <translation>再試行(&amp;T)</translation>
    </message>
    <message>
        <source>Priority &amp;up</source>
        <translation>優先度を上げる(&amp;U)</translation>
    </message>
    <message>
        <source>Priority &amp;down</source>
        <translation>優先度を下げる(&amp;D)</translation>
    </message>
    <message>
        <source>Set pr&amp;iority ...</source>
        <translation>優先度を設定(&amp;I)...</translation>
    </message>
    <message>
        <source>Copy i&amp;d</source>
        <translation>ID をコピー(&amp;D)</translation>
    </message>
    <message>
        <source>&amp;Open folder</source>
        <translation>フォルダーを開く(&amp;O)</translation>
    </message>
    <message>
        <source>&amp;Export ...</source>
        <translation>エクスポート(&amp;E)...</translation>
    </message>
    <message>
        <source>Cancel %1 (%2)?</source>
        <translation>%1 (%2) をキャンセルしますか?</translation>
    </message>
    <message>
        <source>Cancel %1 jobs?</source>
        <translation>%1 件のジョブをキャンセルしますか?</translation>
    </message>
    <message>
        <source>Cancel jobs</source>
        <translation>ジョブのキャンセル</translation>
    </message>
    <message>
        <source>Priority</source>
        <translation>優先度</translation>
    </message>
    <message>
        <source>Priority (%1 to %2; higher runs first):</source>
        <translation>優先度 (%1 ～ %2、大きいほど先に実行):</translation>
    </message>
    <message>
        <source>Export jobs</source>
        <translation>ジョブのエクスポート</translation>
    </message>
    <message>
        <source>Co&amp;mpare</source>
        <translation>比較(&amp;M)</translation>
    </message>
</context>
<context>
    <name>weft::gui::JobDetailView</name>
    <message>
        <source>Log</source>
        <translation>ログ</translation>
    </message>
    <message>
        <source>Settings (JSON)</source>
        <translation>設定 (JSON)</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>詳細</translation>
    </message>
    <message>
        <source>Select a job to see its details.</source>
        <translation>ジョブを選ぶと、その内容がここに表示されます。</translation>
    </message>
    <message>
        <source>Copy the value</source>
        <translation>値をコピー</translation>
    </message>
    <message>
        <source>Decisions</source>
        <translation>判定</translation>
    </message>
</context>
<context>
    <name>weft::gui::JobForm</name>
    <message>
        <source>Kind of job</source>
        <translation>ジョブの種類</translation>
    </message>
    <message>
        <source>Options shown</source>
        <translation>表示するオプション</translation>
    </message>
    <message>
        <source>Usual options</source>
        <translation>よく使うオプション</translation>
    </message>
    <message>
        <source>All options</source>
        <translation>すべてのオプション</translation>
    </message>
    <message>
        <source>Changed options only</source>
        <translation>変更したものだけ</translation>
    </message>
    <message>
        <source>Search options</source>
        <translation>オプションを検索</translation>
    </message>
    <message>
        <source>Search options: name or help text ...</source>
        <translation>オプションを検索: 名前、説明中の語 ...</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>キュー</translation>
    </message>
    <message>
        <source>Options</source>
        <translation>オプション</translation>
    </message>
    <message>
        <source>No option matches.</source>
        <translation>一致するオプションはありません。</translation>
    </message>
</context>
<context>
    <name>weft::gui::JobsTable</name>
    <message>
        <source>Jobs</source>
        <translation>ジョブ</translation>
    </message>
</context>
<context>
    <name>weft::gui::JobsView</name>
    <message>
        <source>Search jobs</source>
        <translation>ジョブを検索</translation>
    </message>
    <message>
        <source>Number of jobs</source>
        <translation>ジョブの数</translation>
    </message>
    <message>
        <source>Jobs: %1</source>
        <translation>ジョブ: %1</translation>
    </message>
    <message>
        <source>Jobs: %1 of %2</source>
        <translation>ジョブ: %1 / %2</translation>
    </message>
    <message>
        <source>, %1 selected</source>
        <translation>、選択中 %1</translation>
    </message>
    <message>
        <source>Search: words in the table, or state:failed owner:anna ...</source>
        <translation>検索: 表示中の列の語、または state:failed owner:anna など</translation>
    </message>
    <message>
        <source>Words are searched in the visible columns; NAME:WORD searches one field (%1). Down and Enter go to the jobs; Esc clears the search.</source>
        <translation>語は表示中の列から探します。名前:語 の形で 1 つの項目から探します (%1)。↓ キーと Enter キーでジョブへ移り、Esc キーで検索を消します。</translation>
    </message>
</context>
<context>
    <name>weft::gui::KeysDialog</name>
    <message>
        <source>Next device</source>
        <translation>次のデバイス</translation>
    </message>
    <message>
        <source>Previous device</source>
        <translation>前のデバイス</translation>
    </message>
    <message>
        <source>Devices: shorter time span</source>
        <translation>デバイス: 期間を短く</translation>
    </message>
    <message>
        <source>Devices: longer time span</source>
        <translation>デバイス: 期間を長く</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>キー一覧</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>キー</translation>
    </message>
    <message>
        <source>Action</source>
        <translation>動作</translation>
    </message>
    <message>
        <source>Search: clear and leave</source>
        <translation>検索: 消して離れる</translation>
    </message>
    <message>
        <source>Search: go to the jobs</source>
        <translation>検索: ジョブへ移る</translation>
    </message>
    <message>
        <source>Everywhere</source>
        <translation>どこでも</translation>
    </message>
    <message>
        <source>Decisions: previous section</source>
        <translation>判定: 前の区間</translation>
    </message>
    <message>
        <source>Decisions: next section</source>
        <translation>判定: 次の区間</translation>
    </message>
    <message>
        <source>Decisions: zoom in</source>
        <translation>判定: 拡大</translation>
    </message>
    <message>
        <source>Decisions: zoom out</source>
        <translation>判定: 縮小</translation>
    </message>
    <message>
        <source>Decisions: whole input</source>
        <translation>判定: 全体を表示</translation>
    </message>
</context>
<context>
    <name>weft::gui::LinkBanner</name>
    <message>
        <source>%1: connecting ...</source>
        <translation>%1: 接続中 ...</translation>
    </message>
    <message>
        <source>%1: %2. The data shown are that old.</source>
        <translation>%1: %2。表示はその時点のものです。</translation>
    </message>
    <message>
        <source>%1: %2.</source>
        <translation>%1: %2。</translation>
    </message>
    <message>
        <source>Next attempt in %1 s.</source>
        <translation>%1 秒後に再接続します。</translation>
    </message>
    <message>
        <source>&amp;Reconnect now</source>
        <translation>今すぐ再接続(&amp;R)</translation>
    </message>
    <message>
        <source>Connection</source>
        <translation>接続</translation>
    </message>
    <message>
        <source>&amp;Edit the server ...</source>
        <translation>サーバーを編集(&amp;E)...</translation>
    </message>
    <message>
        <source>%1: the queue is paused. Running jobs continue; no other job starts.</source>
        <translation>%1: キューは一時停止中です。実行中のジョブは続行し、他のジョブは開始しません。</translation>
    </message>
    <message>
        <source>%1: %2. Running jobs are finished; no new jobs start until the daemon is back.</source>
        <translation>%1: %2。実行中のものは最後まで処理され、デーモンが戻るまで新しいものは始まりません。</translation>
    </message>
</context>
<context>
    <name>weft::gui::MainWindow</name>
    <message>
        <source>Weft</source>
        <translation>Weft</translation>
    </message>
    <message>
        <source>Jobs</source>
        <translation>ジョブ</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>デバイス</translation>
    </message>
    <message>
        <source>Submit</source>
        <translation>投入</translation>
    </message>
    <message>
        <source>Statistics</source>
        <translation>統計</translation>
    </message>
    <message>
        <source>Servers</source>
        <translation>サーバー</translation>
    </message>
    <message>
        <source>Add a server</source>
        <translation>サーバーの追加</translation>
    </message>
    <message>
        <source>Remove %1 from the list of servers? Its jobs keep running.</source>
        <translation>%1 をサーバーの一覧から削除しますか? ジョブは続行されます。</translation>
    </message>
    <message>
        <source>Remove a server</source>
        <translation>サーバーの削除</translation>
    </message>
    <message>
        <source>&amp;Server</source>
        <translation>サーバー(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Add server ...</source>
        <translation>サーバーを追加(&amp;A)...</translation>
    </message>
    <message>
        <source>&amp;Remove server ...</source>
        <translation>サーバーを削除(&amp;R)...</translation>
    </message>
    <message>
        <source>Reconnect &amp;now</source>
        <translation>今すぐ再接続(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>終了(&amp;Q)</translation>
    </message>
    <message>
        <source>&amp;Job</source>
        <translation>ジョブ(&amp;J)</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>表示(&amp;V)</translation>
    </message>
    <message>
        <source>&amp;Search</source>
        <translation>検索(&amp;S)</translation>
    </message>
    <message>
        <source>Show l&amp;og</source>
        <translation>ログを表示(&amp;O)</translation>
    </message>
    <message>
        <source>&amp;All jobs</source>
        <translation>すべてのジョブ(&amp;A)</translation>
    </message>
    <message>
        <source>Theme of the s&amp;ystem</source>
        <translation>システムの配色(&amp;Y)</translation>
    </message>
    <message>
        <source>&amp;Light theme</source>
        <translation>ライト(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Dark theme</source>
        <translation>ダーク(&amp;D)</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>比較</translation>
    </message>
    <message>
        <source>Edit a server</source>
        <translation>サーバーの編集</translation>
    </message>
    <message>
        <source>&amp;Edit server ...</source>
        <translation>サーバーを編集(&amp;E)...</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>ヘルプ(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;Keys</source>
        <translation>キー一覧(&amp;K)</translation>
    </message>
    <message>
        <source>&amp;Notify when a batch finishes</source>
        <translation>バッチ終了の通知(&amp;N)</translation>
    </message>
    <message>
        <source>Lan&amp;guage</source>
        <translation>言語(&amp;G)</translation>
    </message>
    <message>
        <source>The language changes at the next start: %1.</source>
        <translation>言語は次回の起動から変わります: %1。</translation>
    </message>
    <message>
        <source>%1 running, %2 queued, %3 failed - Weft</source>
        <translation>実行中 %1、待機中 %2、失敗 %3 - Weft</translation>
    </message>
    <message>
        <source>&amp;About Weft</source>
        <translation>Weft について(&amp;A)</translation>
    </message>
    <message>
        <source>Benchmarks</source>
        <translation>ベンチマーク</translation>
    </message>
</context>
<context>
    <name>weft::gui::NoteLabel</name>
    <message>
        <source>Error: %1</source>
        <translation>エラー: %1</translation>
    </message>
</context>
<context>
    <name>weft::gui::Notices</name>
    <message>
        <source>%1 of %2 jobs failed</source>
        <translation>%2 件中 %1 件のジョブが失敗しました</translation>
    </message>
    <message>
        <source>%1 jobs were cancelled</source>
        <translation>%1 件のジョブをキャンセルしました</translation>
    </message>
    <message>
        <source>%1 jobs finished</source>
        <translation>%1 件のジョブが完了しました</translation>
    </message>
    <message>
        <source>and %1 more</source>
        <translation>ほか %1 件</translation>
    </message>
    <message>
        <source>1 job failed</source>
        <translation>1 件のジョブが失敗しました</translation>
    </message>
    <message>
        <source>1 job was cancelled</source>
        <translation>1 件のジョブをキャンセルしました</translation>
    </message>
    <message>
        <source>1 job finished</source>
        <translation>1 件のジョブが完了しました</translation>
    </message>
</context>
<context>
    <name>weft::gui::OptionEditor</name>
    <message>
        <source>default</source>
        <translation>既定</translation>
    </message>
    <message>
        <source>Choose a file: %1</source>
        <translation>ファイルを選択: %1</translation>
    </message>
    <message>
        <source>Choose a folder: %1</source>
        <translation>フォルダーを選択: %1</translation>
    </message>
    <message>
        <source>%1, one a line</source>
        <translation>%1 (1 行に 1 つ)</translation>
    </message>
    <message>
        <source>%1 (default)</source>
        <translation>%1 (既定)</translation>
    </message>
    <message>
        <source>any (default)</source>
        <translation>任意 (既定)</translation>
    </message>
</context>
<context>
    <name>weft::gui::OptionField</name>
    <message>
        <source>Reset to default</source>
        <translation>指定を消して既定値に戻します</translation>
    </message>
    <message>
        <source>Reset to default: %1</source>
        <translation>既定値に戻す: %1</translation>
    </message>
    <message>
        <source>Invalid value &quot;%1&quot;: expected %2.</source>
        <translation>「%1」は指定できません。指定できるのは%2です。</translation>
    </message>
</context>
<context>
    <name>weft::gui::PictureCanvas</name>
    <message>
        <source>Pictures before and after</source>
        <translation>処理前と処理後の画像</translation>
    </message>
    <message>
        <source>after</source>
        <translation>処理後</translation>
    </message>
    <message>
        <source>before</source>
        <translation>処理前</translation>
    </message>
    <message>
        <source>difference</source>
        <translation>差分</translation>
    </message>
</context>
<context>
    <name>weft::gui::ProfileBar</name>
    <message>
        <source>Profiles (*.json)</source>
        <translation>プロファイル (*.json)</translation>
    </message>
    <message>
        <source>&amp;Profile:</source>
        <translation>プロファイル(&amp;P):</translation>
    </message>
    <message>
        <source>Profile</source>
        <translation>プロファイル</translation>
    </message>
    <message>
        <source>Manage</source>
        <translation>管理</translation>
    </message>
    <message>
        <source>&amp;Save</source>
        <translation>保存(&amp;S)</translation>
    </message>
    <message>
        <source>Save &amp;as ...</source>
        <translation>別名で保存(&amp;A)...</translation>
    </message>
    <message>
        <source>Save as</source>
        <translation>別名で保存</translation>
    </message>
    <message>
        <source>The profile&apos;s name:</source>
        <translation>プロファイルの名前:</translation>
    </message>
    <message>
        <source>&amp;Rename ...</source>
        <translation>名前の変更(&amp;R)...</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>名前の変更</translation>
    </message>
    <message>
        <source>New name of %1:</source>
        <translation>%1 の新しい名前:</translation>
    </message>
    <message>
        <source>&amp;Delete ...</source>
        <translation>削除(&amp;D)...</translation>
    </message>
    <message>
        <source>&amp;Import ...</source>
        <translation>インポート(&amp;I)...</translation>
    </message>
    <message>
        <source>Import a profile</source>
        <translation>プロファイルのインポート</translation>
    </message>
    <message>
        <source>&amp;Export ...</source>
        <translation>エクスポート(&amp;E)...</translation>
    </message>
    <message>
        <source>profile</source>
        <translation>プロファイル</translation>
    </message>
    <message>
        <source>Export a profile</source>
        <translation>プロファイルのエクスポート</translation>
    </message>
    <message>
        <source>none</source>
        <translation>なし</translation>
    </message>
    <message>
        <source>Profile %1 is loaded.</source>
        <translation>プロファイル %1 を読み込みました。</translation>
    </message>
    <message>
        <source>Profile %1 is saved.</source>
        <translation>プロファイル %1 を保存しました。</translation>
    </message>
    <message>
        <source>Profile %1 is now named %2.</source>
        <translation>プロファイル %1 の名前を %2 に変更しました。</translation>
    </message>
    <message>
        <source>Profile %1 is deleted.</source>
        <translation>プロファイル %1 を削除しました。</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>削除</translation>
    </message>
    <message>
        <source>Delete the profile %1?</source>
        <translation>プロファイル %1 を削除しますか?</translation>
    </message>
    <message>
        <source>changed</source>
        <translation>変更あり</translation>
    </message>
    <message>
        <source>Unsaved changes.</source>
        <translation>保存していない変更があります。</translation>
    </message>
</context>
<context>
    <name>weft::gui::ServerDialog</name>
    <message>
        <source>&amp;Unix socket on this machine</source>
        <translation>このマシンの Unix ソケット(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Host</source>
        <translation>ホスト(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;Encrypted (TLS)</source>
        <translation>暗号化 (TLS)(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;Keep the token in the settings, as plain text</source>
        <translation>トークンを平文で設定に保存(&amp;K)</translation>
    </message>
    <message>
        <source>&amp;Socket:</source>
        <translation>ソケット(&amp;S):</translation>
    </message>
    <message>
        <source>Host &amp;name or IP address:</source>
        <translation>ホスト名またはアドレス(&amp;N):</translation>
    </message>
    <message>
        <source>&amp;Port:</source>
        <translation>ポート(&amp;P):</translation>
    </message>
    <message>
        <source>Daemons accept local connections only. To reach another machine, use an SSH tunnel, or a proxy in front of the daemon that terminates TLS and checks the token.</source>
        <translation>デーモンは同じマシンからの接続だけを受け付けます。他のマシンのデーモンには、SSH トンネルか、TLS を終端してトークンを検査するプロキシを経由して接続してください。</translation>
    </message>
    <message>
        <source>Root &amp;certificates:</source>
        <translation>ルート証明書(&amp;C):</translation>
    </message>
    <message>
        <source>system certificates</source>
        <translation>システムの証明書</translation>
    </message>
    <message>
        <source>Name in the certi&amp;ficate:</source>
        <translation>証明書の名前(&amp;F):</translation>
    </message>
    <message>
        <source>host name</source>
        <translation>ホスト名と同じ</translation>
    </message>
    <message>
        <source>&amp;Token:</source>
        <translation>トークン(&amp;T):</translation>
    </message>
    <message>
        <source>none</source>
        <translation>なし</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>誤りの内容</translation>
    </message>
    <message>
        <source>Choose ...</source>
        <translation>選択...</translation>
    </message>
    <message>
        <source>Choose: %1</source>
        <translation>選択: %1</translation>
    </message>
</context>
<context>
    <name>weft::gui::ServersModel</name>
    <message>
        <source>connecting</source>
        <translation>接続中</translation>
    </message>
    <message>
        <source>connected</source>
        <translation>接続済み</translation>
    </message>
    <message>
        <source>no answer for %1</source>
        <translation>%1 応答なし</translation>
    </message>
    <message>
        <source>offline</source>
        <translation>オフライン</translation>
    </message>
    <message>
        <source>offline for %1</source>
        <translation>オフライン (%1)</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Jobs by state; select one to see only these jobs.</source>
        <translation>状態別のジョブです。選ぶとその状態のものだけを表示します。</translation>
    </message>
    <message>
        <source>shutting down</source>
        <translation>停止処理中</translation>
    </message>
</context>
<context>
    <name>weft::gui::StatisticsModel</name>
    <message>
        <source>day</source>
        <translation>日</translation>
    </message>
    <message>
        <source>owner</source>
        <translation>所有者</translation>
    </message>
    <message>
        <source>failure</source>
        <translation>失敗</translation>
    </message>
    <message>
        <source>Group</source>
        <translation>分類</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>値</translation>
    </message>
    <message>
        <source>Succeeded</source>
        <translation>成功</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>失敗</translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation>キャンセル</translation>
    </message>
    <message>
        <source>Units</source>
        <translation>処理単位</translation>
    </message>
    <message>
        <source>GPU seconds</source>
        <translation>GPU 秒</translation>
    </message>
    <message>
        <source>Newest message</source>
        <translation>最新のメッセージ</translation>
    </message>
    <message>
        <source>kind of job</source>
        <translation>ジョブの種類</translation>
    </message>
</context>
<context>
    <name>weft::gui::StatisticsView</name>
    <message>
        <source>Per day</source>
        <translation>日別</translation>
    </message>
    <message>
        <source>GPU seconds by owner</source>
        <translation>所有者別の GPU 秒</translation>
    </message>
    <message>
        <source>Failed jobs by reason</source>
        <translation>理由別の失敗ジョブ</translation>
    </message>
    <message>
        <source>Last %1 days</source>
        <translation>過去 %1 日間</translation>
    </message>
    <message>
        <source>Days</source>
        <translation>日数</translation>
    </message>
    <message>
        <source>Jobs</source>
        <translation>ジョブ</translation>
    </message>
    <message>
        <source>Units</source>
        <translation>処理単位</translation>
    </message>
    <message>
        <source>GPU seconds</source>
        <translation>GPU 秒</translation>
    </message>
    <message>
        <source>Value shown per day</source>
        <translation>日別に表示する値</translation>
    </message>
    <message>
        <source>Statistics</source>
        <translation>統計</translation>
    </message>
    <message>
        <source>&amp;Export ...</source>
        <translation>エクスポート(&amp;E)...</translation>
    </message>
    <message>
        <source>succeeded</source>
        <translation>成功</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失敗</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>キャンセル</translation>
    </message>
    <message>
        <source>units</source>
        <translation>処理単位</translation>
    </message>
    <message>
        <source>Export statistics</source>
        <translation>統計のエクスポート</translation>
    </message>
    <message>
        <source>%1: %2 succeeded, %3 failed, %4 cancelled; %5, %6 GPU seconds</source>
        <comment>numbers of jobs, number of units</comment>
        <translation>%1: 成功 %2、失敗 %3 件、キャンセル %4 件、%5、%6 GPU 秒</translation>
    </message>
    <message>
        <source>1 job</source>
        <translation>1 件</translation>
    </message>
    <message>
        <source>%1 jobs</source>
        <translation>%1 件</translation>
    </message>
    <message>
        <source>1 unit</source>
        <translation>1 単位</translation>
    </message>
    <message>
        <source>%1 units</source>
        <translation>%1 単位</translation>
    </message>
    <message>
        <source>GPU seconds by kind of job</source>
        <translation>ジョブの種類ごとの GPU 秒</translation>
    </message>
</context>
<context>
    <name>weft::gui::StreamsModel</name>
    <message>
        <source>Later than the deadline.</source>
        <translation>期限を超えています。</translation>
    </message>
    <message>
        <source>Stream</source>
        <translation>ストリーム</translation>
    </message>
    <message>
        <source>Class</source>
        <translation>クラス</translation>
    </message>
    <message>
        <source>Owner</source>
        <translation>所有者</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>フィルター</translation>
    </message>
    <message>
        <source>Frames</source>
        <translation>フレーム</translation>
    </message>
    <message>
        <source>Frames/s</source>
        <translation>フレーム/秒</translation>
    </message>
    <message>
        <source>Latency p50</source>
        <translation>遅延 p50</translation>
    </message>
    <message>
        <source>p99</source>
        <translation>p99</translation>
    </message>
    <message>
        <source>Deadline</source>
        <translation>期限</translation>
    </message>
    <message>
        <source>Late</source>
        <translation>遅れ</translation>
    </message>
</context>
<context>
    <name>weft::gui::SubmitView</name>
    <message>
        <source>Server</source>
        <translation>サーバー</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>ファイル</translation>
    </message>
    <message>
        <source>Drop files anywhere on the window, or add them below.</source>
        <translation>ウィンドウにファイルをドロップするか、下で追加してください。</translation>
    </message>
    <message>
        <source>Estimate</source>
        <translation>見積もり</translation>
    </message>
    <message>
        <source>&amp;Check all files</source>
        <translation>すべてのファイルを確認(&amp;C)</translation>
    </message>
    <message>
        <source>File path</source>
        <translation>ファイルのパス</translation>
    </message>
    <message>
        <source>Path or pattern such as frame.####.exr, then Enter</source>
        <translation>パスまたは frame.####.exr を入力して Enter</translation>
    </message>
    <message>
        <source>Add &amp;files ...</source>
        <translation>ファイルの追加(&amp;F)...</translation>
    </message>
    <message>
        <source>&amp;Treat as image sequence</source>
        <translation>連番画像として扱う(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Remove</source>
        <translation>削除(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Output:</source>
        <translation>出力(&amp;O):</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>出力</translation>
    </message>
    <message>
        <source>Folder ...</source>
        <translation>フォルダー...</translation>
    </message>
    <message>
        <source>Output folder</source>
        <translation>結果の出力先</translation>
    </message>
    <message>
        <source>Add files</source>
        <translation>ファイルの追加</translation>
    </message>
    <message>
        <source>Adding ...</source>
        <translation>追加中 ...</translation>
    </message>
    <message>
        <source>Placeholders: {dir}, {name}, {stem}, {ext}, {index}, and the name of any option, for its value.</source>
        <translation>使用できるプレースホルダー: {dir}、{name}、{stem}、{ext}、{index}、および各オプションの名前 (値に置き換わります)。</translation>
    </message>
    <message>
        <source>Add the job</source>
        <translation>ジョブを追加</translation>
    </message>
    <message>
        <source>Add %1 jobs</source>
        <translation>%1 件のジョブを追加</translation>
    </message>
    <message>
        <source>%1 options are invalid.</source>
        <translation>%1 個のオプションに誤りがあります。</translation>
    </message>
    <message>
        <source>Add the jobs</source>
        <translation>ジョブを追加</translation>
    </message>
    <message>
        <source>1 job is queued</source>
        <translation>1 件のジョブをキューに入れました</translation>
    </message>
    <message>
        <source>%1 jobs are queued</source>
        <translation>%1 件のジョブをキューに入れました</translation>
    </message>
    <message>
        <source>1 was refused</source>
        <translation>1 件は拒否されました</translation>
    </message>
    <message>
        <source>%1 were refused</source>
        <translation>%1 件は拒否されました</translation>
    </message>
    <message>
        <source>%1.</source>
        <comment>jobs are queued</comment>
        <translation>%1。</translation>
    </message>
    <message>
        <source>%1, %2.</source>
        <comment>jobs are queued, others refused</comment>
        <translation>%1。%2。</translation>
    </message>
    <message>
        <source>1 option is invalid.</source>
        <translation>1 個のオプションに誤りがあります。</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>device, its name</comment>
        <translation>%1: %2</translation>
    </message>
</context>
</TS>
